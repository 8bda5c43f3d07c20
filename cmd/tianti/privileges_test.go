//go:build !linux

package main

func dropPrivileges() {}
