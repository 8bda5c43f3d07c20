package seed

import (
	"fmt"
	"regexp"
	"strings"
)

// The parser holds forty times as much as a text for a while.
const (
	maxScalar = 256 << 10 // of a text or number, and of a line
	maxBlock  = 4 << 20   // of a text behind “|” or “>”: of some 30,000 prices
)

// A scalarScan finds scalars that are too long before the parser, which would hold them, sees any. It knows as much of
// YAML as where texts of several lines end; what it takes for one is too long or harmless.
type scalarScan struct {
	quote byte // of a text that goes on in the next line; 0: none
	block bool // a block goes on while lines are
	above int  // further right than this
	depth int  // of brackets: commas part values within them only
	size  int
	begun int // line of the text
	// within: the last line was one of a text in quotes or of a block, of which no token begins
	within bool
}

// tooLong is the line of a text that the parser had better not see, and what is too long there; 0 where there is none.
func tooLong(text string) (line int, msg string) {
	var s scalarScan
	n, total := 0, 0
	for line := range strings.SplitSeq(text, "\n") {
		n++
		if len(line) > maxScalar {
			return n, longText(maxScalar)
		}
		s.line(n, line)
		if most := s.most(); s.size > most {
			return s.begun, longText(most)
		}
		if s.within {
			continue
		}
		if total += marks(line); total > maxMarks {
			return n, fmt.Sprintf("the file has more than %d keys, items and brackets", maxMarks)
		}
	}
	return 0, ""
}

func longText(most int) string {
	return fmt.Sprintf("a text or a line is longer than %d bytes; want shorter ones, and prices as a CSV file", most)
}

// most is how long the text may be that goes on.
func (s *scalarScan) most() int {
	if s.block {
		return maxBlock
	}
	return maxScalar
}

// line reads the next line: it goes on with a text, or begins another.
func (s *scalarScan) line(n int, line string) {
	indent := len(line) - len(strings.TrimLeft(line, " "))
	blank := strings.TrimSpace(line) == ""
	s.within = false
	switch {
	case s.quote != 0:
		s.within = true
		s.size += len(line) + 1
		end := closing(line, s.quote)
		if end < 0 {
			return
		}
		s.quote, s.size, s.begun, s.within = 0, 0, n, false
		s.values(n, line, end+1, indent, false)
	case s.block && (blank || indent > s.above):
		s.within = true
		s.size += len(line) + 1
	default:
		s.block = false
		if !s.values(n, line, indent, indent, true) && s.begun > 0 {
			s.size += len(line) + 1 // a plain text goes on
			return
		}
		if s.quote == 0 && !s.block {
			s.size, s.begun = 0, n
		}
	}
}

var blockHead = regexp.MustCompile(`^[|>][0-9+-]*\s*(?:\s#.*)?$`)

// values looks at a line from a byte on for texts that go on in the next one; it reports whether the line has a key, an
// item or a bracket. above is the column of what a block would belong to; fresh: a value may begin here.
func (s *scalarScan) values(n int, line string, from, above int, fresh bool) (structured bool) {
	for i := from; i < len(line); i++ {
		c := line[i]
		last := i+1 == len(line) || line[i+1] == ' ' || line[i+1] == '\r'
		switch {
		case c == ' ':
		case c == '#' && (i == 0 || line[i-1] == ' '):
			return structured
		case fresh && c == '-' && last:
			structured, above = true, i
		case fresh && (c == '"' || c == '\''):
			end := closing(line[i+1:], c)
			if end < 0 {
				s.quote, s.size, s.begun = c, len(line)-i, n
				return true
			}
			i, fresh = i+1+end, false
		case fresh && (c == '|' || c == '>') && blockHead.MatchString(line[i:]):
			s.block, s.above, s.size, s.begun = true, above, 0, n
			if !structured {
				s.above = -1 // of the whole document
			}
			return true
		case c == ':' && last, c == ',' && s.depth > 0:
			structured, fresh = true, true
		case (c == '[' || c == '{') && (fresh || s.depth > 0):
			structured, fresh = true, true
			s.depth++
		case (c == ']' || c == '}') && s.depth > 0:
			structured, fresh = true, false
			s.depth--
		default:
			if fresh && structured && line[i-1] == ' ' && strings.Trim(line[from:i], " -") == "" {
				above = i // a key behind a dash
			}
			fresh = false
		}
	}
	return structured
}

// closing is where a quoted text ends, -1 where it goes on.
func closing(text string, quote byte) int {
	for i := 0; i < len(text); i++ {
		switch {
		case quote == '"' && text[i] == '\\':
			i++
		case text[i] != quote:
		case quote == '\'' && i+1 < len(text) && text[i+1] == quote:
			i++
		default:
			return i
		}
	}
	return -1
}
