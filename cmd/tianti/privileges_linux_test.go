package main

import (
	"os"
	"strconv"
	"syscall"
)

// dropPrivileges lets a test run the program as somebody else: for root no file is
// unwritable. The binary is already loaded by then, as nobody may read it.
func dropPrivileges() {
	uid, err := strconv.Atoi(os.Getenv("TIANTI_TEST_UID"))
	if err != nil || os.Getuid() != 0 {
		return
	}
	if err := syscall.Setuid(uid); err != nil {
		panic(err)
	}
}
