package seed

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/goccy/go-yaml"
	"github.com/goccy/go-yaml/ast"
	"github.com/goccy/go-yaml/lexer"
	"github.com/goccy/go-yaml/parser"
	"github.com/goccy/go-yaml/token"

	"tianti/catalog"
)

// maxFileSize is the largest data file that is read, in bytes.
const maxFileSize = 10 << 20

// maxMarks bounds the memory of tokens, which take some hundred times the space
// of the character that they stand for. maxKeys and maxFlowDepth bound what the
// parser is given: it recurses once per key of a block and per bracket, and a
// stack that overflows cannot be recovered.
const (
	maxMarks     = 300_000 // 2.7 times those of what is built in; of items alone the parser makes 250 MB then
	maxKeys      = 10_000
	maxFlowDepth = 8
)

// parseYAML reads one file into its syntax tree, nil when there is a problem.
// Only plain YAML passes: one document, no anchors, tags or directives.
func parseYAML(f File) (root ast.Node, problem *catalog.Problem) {
	text, problem := fileText(f)
	if problem != nil {
		return nil, problem
	}
	// The parser is third-party code that is given foreign input.
	defer func() {
		if r := recover(); r != nil {
			root, problem = nil, problemAt(f, nil, "syntax", fmt.Sprintf("the YAML cannot be read: %v", r))
		}
	}()
	tokens := lexer.Tokenize(text)
	if tk, rule, msg := refusedToken(tokens); tk != nil {
		return nil, problemAt(f, tk, rule, msg)
	}
	// Duplicate keys are found later, so that all of them are reported.
	tree, err := parser.Parse(tokens, 0, parser.AllowDuplicateMapKey())
	var syntax yaml.Error
	switch {
	case errors.As(err, &syntax):
		return nil, problemAt(f, syntax.GetToken(), "syntax", syntax.GetMessage())
	case err != nil:
		return nil, problemAt(f, nil, "syntax", err.Error())
	case len(tree.Docs) == 0 || tree.Docs[0].Body == nil:
		return nil, problemAt(f, nil, "empty", "the file holds nothing; want "+strings.Join(documentFields, ", "))
	}
	return tree.Docs[0].Body, nil
}

// fileText returns the file's text without a byte order mark.
func fileText(f File) (string, *catalog.Problem) {
	if len(f.Data) > maxFileSize {
		return "", problemAt(f, nil, "size", fmt.Sprintf("the file has %d bytes; at most %d are read",
			len(f.Data), maxFileSize))
	}
	text := string(f.Data)
	if !utf8.ValidString(text) {
		p := problemAt(f, nil, "encoding", "")
		p.Pos.Line, p.Pos.Column, p.Msg = invalidUTF8(text)
		return "", p
	}
	text = strings.TrimPrefix(text, "\ufeff")
	if line, msg := tooLong(text); line > 0 {
		p := problemAt(f, nil, "size", msg)
		p.Pos.Line, p.Pos.Column = line, 1
		return "", p
	}
	return text, nil
}

// marks counts the characters that may begin a token of their own; an item, of which the parser makes most, as three.
func marks(text string) (n int) {
	for i := range len(text) {
		switch text[i] {
		case '[', ']', '{', '}', ',', ':', '?', '&', '*', '!':
			n++
		case '-':
			if i+1 == len(text) || text[i+1] == ' ' || text[i+1] == '\n' {
				n += 3
			}
		}
	}
	return n
}

// invalidUTF8 finds the first byte that is not UTF-8.
func invalidUTF8(text string) (line, column int, msg string) {
	line, column = 1, 1
	for i, r := range text {
		if r == utf8.RuneError {
			if _, size := utf8.DecodeRuneInString(text[i:]); size == 1 {
				return line, column, fmt.Sprintf("byte 0x%02x is not UTF-8; save the file as UTF-8", text[i])
			}
		}
		column++
		if r == '\n' {
			line, column = line+1, 1
		}
	}
	return line, column, "the file is not UTF-8"
}

var refusedTypes = map[token.Type]struct{ rule, msg string }{
	token.AnchorType:      {"anchor", "anchors and aliases are refused; write the value out, or use a family"},
	token.AliasType:       {"anchor", "anchors and aliases are refused; write the value out, or use a family"},
	token.MergeKeyType:    {"anchor", "merge keys are refused; use a family"},
	token.TagType:         {"syntax", "tags are refused; quote text that begins with “!”"},
	token.DirectiveType:   {"syntax", "directives are refused"},
	token.DocumentEndType: {"documents", "document ends (“...”) are refused; a file is one document"},
	token.MappingKeyType:  {"syntax", "keys after “?” are refused; write “key: value”"},
}

// refusedToken finds the first token of what data files may not hold.
func refusedToken(tokens token.Tokens) (tk *token.Token, rule, msg string) {
	depth, began := 0, false
	keys := keyCounter{}
	for i, tk := range tokens {
		if r, refused := refusedTypes[tk.Type]; refused {
			return tk, r.rule, r.msg
		}
		switch tk.Type {
		case token.DocumentHeaderType:
			if began {
				return tk, "documents", "the file holds more than one YAML document; at most one is read"
			}
		case token.MappingStartType, token.SequenceStartType:
			depth++
		case token.MappingEndType, token.SequenceEndType:
			depth--
		case token.SequenceEntryType:
			if i > 0 && tokens[i-1].Type == token.SequenceEntryType && tokens[i-1].Position.Line == tk.Position.Line {
				return tk, "shape", "a list directly within a list is not part of the format"
			}
		}
		if depth > maxFlowDepth {
			return tk, "shape", fmt.Sprintf("brackets are nested more than %d deep", maxFlowDepth)
		}
		if keys.count(tk) > maxKeys {
			return tk, "size", fmt.Sprintf("a map has more than %d keys", maxKeys)
		}
		began = began || tk.Type != token.CommentType
	}
	return nil, "", ""
}

// keyCounter counts the keys of the block maps that enclose a token, by column.
type keyCounter struct {
	line   int
	column []int // of the enclosing keys and list marks, increasing
	keys   []int // how many of that column there were
}

// count adds a token that begins a line, or follows a list mark, to the level
// of its column and returns how many the level has.
func (c *keyCounter) count(tk *token.Token) int {
	p := tk.Position
	first := p.Line != c.line || (tk.Prev != nil && tk.Prev.Type == token.SequenceEntryType)
	c.line = p.Line
	if !first || tk.Type == token.CommentType {
		return 0
	}
	n := len(c.column)
	for n > 0 && c.column[n-1] > p.Column {
		n--
	}
	c.column, c.keys = c.column[:n], c.keys[:n]
	if n == 0 || c.column[n-1] < p.Column {
		c.column, c.keys = append(c.column, p.Column), append(c.keys, 0)
		n++
	}
	if tk.Type != token.SequenceEntryType {
		c.keys[n-1]++
	}
	return c.keys[n-1]
}

// problemAt reports a problem of a whole file, at a token when there is one.
func problemAt(f File, tk *token.Token, rule, msg string) *catalog.Problem {
	pos := catalog.Pos{File: f.Name, Line: 1, Column: 1}
	if tk != nil && tk.Position != nil {
		pos.Line, pos.Column = max(1, tk.Position.Line), max(1, tk.Position.Column)
	}
	return &catalog.Problem{Pos: pos, Rule: rule, Msg: msg}
}

// startOf returns the token at which a node begins; a block map begins at its
// first key, not at that key's colon.
func startOf(n ast.Node) *token.Token {
	if m, ok := n.(*ast.MappingNode); ok && !m.IsFlowStyle && len(m.Values) > 0 {
		return m.Values[0].Key.GetToken()
	}
	return n.GetToken()
}
