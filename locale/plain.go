package locale

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// parsePlain reads the YAML of message files: maps, by indentation or in braces on one line, of texts and whole
// numbers, with comments. A general parser took longer than the rest of the start; tests hold this one against it.
func parsePlain(data string) (map[string]any, error) {
	root := map[string]any{}
	open := []level{{indent: 0, into: root}}
	pending := "" // the key of a map that begins on the next line
	for n, line := range strings.Split(data, "\n") {
		body := strings.TrimLeft(line, " ")
		if body = strings.TrimRight(body, " \r"); body == "" || body[0] == '#' {
			continue
		}
		if strings.HasPrefix(line, "---") || strings.HasPrefix(line, "...") {
			return nil, fmt.Errorf("line %d: want one document", n+1) // marks of YAML, which begin and end one
		}
		indent := len(line) - len(strings.TrimLeft(line, " "))
		top := open[len(open)-1]
		if pending != "" {
			if indent <= top.indent {
				return nil, fmt.Errorf("line %d: %s holds nothing", n, pending)
			}
			into := map[string]any{}
			top.into[pending] = into
			open, pending = append(open, level{indent, into}), ""
		}
		for len(open) > 1 && indent < open[len(open)-1].indent {
			open = open[:len(open)-1]
		}
		if top = open[len(open)-1]; indent != top.indent {
			return nil, fmt.Errorf("line %d: indented by %d, want %d", n+1, indent, top.indent)
		}
		key, rest, err := plainKey(body)
		if err == nil && rest == "" {
			pending = key
		} else if err == nil {
			rest, err = plainInto(top.into, key, rest)
		}
		if err == nil && top.into[key] != nil && pending == key {
			err = fmt.Errorf("%s is there twice", key)
		}
		if rest = strings.TrimLeft(rest, " "); err == nil && rest != "" && rest[0] != '#' {
			err = fmt.Errorf("%q follows the value", rest)
		}
		if err != nil {
			return nil, fmt.Errorf("line %d: %w", n+1, err)
		}
	}
	if pending != "" {
		return nil, fmt.Errorf("%s holds nothing", pending)
	}
	return root, nil
}

// A level is a map whose keys are indented alike.
type level struct {
	indent int
	into   map[string]any
}

// plainKey cuts "key: value"; of "key:" the rest is empty.
func plainKey(text string) (key, rest string, err error) {
	key, rest, ok := strings.Cut(text, ": ")
	if !ok {
		key, ok = strings.CutSuffix(text, ":")
	}
	if rest = strings.TrimLeft(rest, " "); strings.HasPrefix(rest, "#") {
		rest = ""
	}
	if key, word := plainWord(key); ok && word {
		return key, rest, nil
	}
	return "", "", fmt.Errorf("%q: want a key, a colon and a value", text)
}

// plainWord reports whether a key is a text, and takes it out of its quotes. A number is a text in quotes alone.
func plainWord(key string) (string, bool) {
	if quoted, ok := strings.CutPrefix(key, `"`); ok {
		word, closed := strings.CutSuffix(quoted, `"`)
		return word, closed && word != "" && !strings.ContainsAny(word, `"\`)
	}
	if strings.ContainsAny(key, `"{}#:`) || strings.TrimSpace(key) != key {
		return key, false
	}
	v, err := plainScalar(key)
	_, text := v.(string)
	return key, err == nil && text
}

// plainInto sets a key to the value that text begins with, and returns what follows.
func plainInto(into map[string]any, key, text string) (rest string, err error) {
	if _, twice := into[key]; twice {
		return "", fmt.Errorf("%s is there twice", key)
	}
	var v any
	switch text[0] {
	case '{':
		v, rest, err = plainBraces(text[1:])
	case '"':
		v, rest, err = plainQuoted(text)
	default:
		end := len(text)
		if at := strings.Index(text, " #"); at >= 0 {
			end = at
		}
		v, err = plainScalar(text[:end])
		rest = text[end:]
	}
	into[key] = v
	return rest, err
}

// plainBraces reads "key: value, key: value }".
func plainBraces(text string) (map[string]any, string, error) {
	into := map[string]any{}
	for {
		text = strings.TrimLeft(text, " ")
		if rest, ok := strings.CutPrefix(text, "}"); ok {
			return into, rest, nil
		}
		key, rest, ok := strings.Cut(text, ": ")
		rest = strings.TrimLeft(rest, " ")
		key, word := plainWord(key)
		if !ok || !word || rest == "" || strings.ContainsAny(key, ",[]") {
			return nil, "", fmt.Errorf("%q: want a key, a colon and a value", text)
		}
		var err error
		switch rest[0] {
		case '{', '"':
			text, err = plainInto(into, key, rest)
		default:
			end := strings.IndexAny(rest, ",}")
			if end < 0 {
				return nil, "", errors.New("a brace is not closed")
			}
			if _, err = plainInto(into, key, strings.TrimRight(rest[:end], " ")+" "); err == nil {
				text = rest[end:]
			}
		}
		if err != nil {
			return nil, "", err
		}
		text = strings.TrimLeft(text, " ")
		if next, ok := strings.CutPrefix(text, ","); ok {
			text = next
		} else if !strings.HasPrefix(text, "}") {
			return nil, "", fmt.Errorf("%q: want a comma or a brace", text)
		}
	}
}

// plainQuoted reads a text in double quotes, in which \" and \\ and \n may stand.
func plainQuoted(text string) (string, string, error) {
	end := 1
	for end < len(text) && text[end] != '"' {
		if text[end] == '\\' {
			if end+1 < len(text) && !strings.ContainsRune(`"\n`, rune(text[end+1])) {
				return "", "", fmt.Errorf(`\%c is not read`, text[end+1])
			}
			end++
		}
		end++
	}
	if end >= len(text) {
		return "", "", errors.New("a quote is not closed")
	}
	inner := text[1:end]
	if strings.Contains(inner, `\`) {
		inner = strings.NewReplacer(`\"`, `"`, `\\`, `\`, `\n`, "\n").Replace(inner)
	}
	return inner, text[end+1:], nil
}

// plainScalar reads what stands without quotes: a text, or a whole number.
func plainScalar(text string) (any, error) {
	text = strings.TrimRight(text, " ")
	if text == "" || strings.ContainsAny(text[:1], "'&*!|>%@`[]{},#?-") || strings.Contains(text, ": ") ||
		strings.HasSuffix(text, ":") {
		return nil, fmt.Errorf("%q: put it in quotes", text)
	}
	switch strings.ToLower(text) {
	case "true", "false", "null", "~", ".inf", ".nan":
		return nil, fmt.Errorf("%q: put it in quotes", text)
	}
	if c := text[0]; c >= '0' && c <= '9' || c == '+' || c == '.' {
		n, err := strconv.ParseUint(text, 10, 64)
		if err == nil && text == strconv.FormatUint(n, 10) {
			return n, nil
		}
		digits := strings.ReplaceAll(text, "_", "")
		_, float := strconv.ParseFloat(digits, 64)
		if _, err := strconv.ParseInt(digits, 0, 64); err == nil || float == nil {
			return nil, fmt.Errorf("%q: put it in quotes", text)
		}
	}
	return text, nil
}
