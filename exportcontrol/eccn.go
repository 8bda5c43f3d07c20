package exportcontrol

import (
	"fmt"
	"strings"
)

// ParseECCN reads a classification, or nothing from nothing.
func ParseECCN(s string) (string, error) {
	s = strings.TrimSpace(s)
	if s != "" && s != "EAR99" && !classification.MatchString(s) {
		return "", fmt.Errorf("%q is not a classification: want EAR99, or one such as 3A090.a", s)
	}
	return s, nil
}

// ClassOfECCN is the paragraph of 3A090 that a classification stands for: 4A090.a,
// 5A002.z.1 and 4A003.z.1 hold chips of 3A090.a, and .b or .z.2 of 3A090.b. ok is
// false for no classification, and for one that leaves it open ("5A992.z").
// False is also for anything that does not look like a classification.
func ClassOfECCN(eccn string) (class Status, ok bool) {
	if eccn == "EAR99" {
		return Not3A090, true
	}
	if !classification.MatchString(eccn) {
		return "", false
	}
	base, rest, _ := strings.Cut(eccn, ".")
	if base == "3A090" || base == "4A090" {
		switch {
		case strings.HasPrefix(rest, "a"):
			return A, true
		case strings.HasPrefix(rest, "b"):
			return B, true
		}
		return "", false
	}
	paragraphs := strings.Split(rest, ".")
	if paragraphs[0] != "z" {
		return Not3A090, true
	}
	return classOfZ(paragraphs)
}

// classOfZ is the paragraph of 3A090 that paragraphs from z on lead to: z.1, z.1.… and
// z.….a to .a, z.2, z.2.… and z.….b to .b.
func classOfZ(paragraphs []string) (class Status, ok bool) {
	if len(paragraphs) == 1 {
		return "", false
	}
	switch paragraphs[1] {
	case "1":
		return A, true
	case "2":
		return B, true
	}
	switch paragraphs[len(paragraphs)-1] {
	case "a":
		return A, true
	case "b":
		return B, true
	}
	return "", false
}
