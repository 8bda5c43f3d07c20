package sizing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"tianti/catalog"
)

// Limits of a configuration that is read.
const (
	MaxConfigBytes  = 1 << 20
	maxConfigDepth  = 16
	maxConfigLayers = 1000
	maxConfigGroups = 64   // of a quantization_config
	maxConfigRunes  = 6000 // in an address
)

// ReadConfig reads the config.json of a model, as Transformers writes it. What it needs
// and does not find, or does not know, is an error at the field: nothing is guessed.
// What a class of Transformers has where a file is silent counts as said: tied
// embeddings of Gemma, Command and LFM2, one global layer in six of Gemma-3. Other
// fields are not looked at.
func (a *Estimator) ReadConfig(r io.Reader) (*Model, []catalog.ParamError) {
	text, err := io.ReadAll(io.LimitReader(r, MaxConfigBytes+1))
	switch {
	case err != nil:
		return nil, []catalog.ParamError{{Param: configField, Code: catalog.NotText}}
	case len(text) > MaxConfigBytes:
		return nil, []catalog.ParamError{{Param: configField, Code: catalog.TooLong, Allowed: "≤ 1 MiB"}}
	case !utf8.Valid(text):
		return nil, []catalog.ParamError{{Param: configField, Code: catalog.NotText, Allowed: "UTF-8"}}
	}
	top, problem := decodeConfig(text)
	if problem != nil {
		return nil, []catalog.ParamError{*problem}
	}
	c := &config{top: top, used: fields{}}
	m := c.model()
	if len(c.errs) > 0 {
		return nil, c.errs
	}
	a.recognise(m)
	return m, nil
}

// configField is the field of what is wrong with a configuration as a whole; of its
// fields it is the prefix, "config.num_hidden_layers".
const configField = "config"

// fields are those of a JSON object, which are read when they are asked for.
type fields = map[string]json.RawMessage

// decodeConfig reads one JSON object of bounded depth.
func decodeConfig(text []byte) (fields, *catalog.ParamError) {
	bad := func(at int64) (fields, *catalog.ParamError) {
		return nil, &catalog.ParamError{Param: configField, Value: "byte " + strconv.FormatInt(at, 10),
			Code: catalog.NotJSON, Allowed: fmt.Sprintf("{…}, ≤ %d levels", maxConfigDepth)}
	}
	if at := tooDeep(text); at >= 0 {
		return bad(int64(at))
	}
	var top fields
	var syntax *json.SyntaxError
	switch err := json.Unmarshal(text, &top); {
	case errors.As(err, &syntax):
		return bad(syntax.Offset)
	case err != nil || top == nil:
		return bad(0)
	}
	return top, nil
}

// tooDeep is where brackets outside of strings go deeper than maxConfigDepth; -1 where
// they do not.
func tooDeep(text []byte) int {
	depth, quoted := 0, false
	for i := 0; i < len(text); i++ {
		switch c := text[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case c == '{' || c == '[':
			if depth++; depth > maxConfigDepth {
				return i
			}
		case c == '}' || c == ']':
			depth--
		}
	}
	return -1
}

// A config is a configuration that is being read: the language model in at, or in top
// where at has no such field.
type config struct {
	top, at fields
	within  string // the path of at
	used    fields
	errs    []catalog.ParamError
}

func (c *config) fail(field string, code catalog.ParamCode, value any, allowed ...string) {
	e := catalog.ParamError{Param: configField + "." + clip(field), Code: code, Allowed: catalog.Listed(allowed...)}
	switch value.(type) {
	case nil, fields, json.RawMessage, []any:
	default:
		e.Value = clip(fmt.Sprint(value))
	}
	c.errs = append(c.errs, e)
}

// raw is a field and its path; nil where it is not given, or null.
func (c *config) raw(field string) (json.RawMessage, string) {
	path := c.within + field
	v := c.at[field]
	if isNull(v) && c.within != "" {
		v, path = c.top[field], field
	}
	if isNull(v) {
		return nil, c.within + field
	}
	c.used[field] = v
	return v, path
}

func isNull(v json.RawMessage) bool { return len(v) == 0 || string(v) == "null" }

// get is raw, decoded: a string, a bool, a json.Number, fields, or a list that is not
// longer than any field needs.
func (c *config) get(field string) (any, string) {
	const longest = 64 << 10
	raw, path := c.raw(field)
	var v any
	switch {
	case raw == nil:
		return nil, path
	case raw[0] == '{':
		var o fields
		if json.Unmarshal(raw, &o) == nil {
			return o, path
		}
		return nil, path
	case len(raw) > longest:
		return raw, path // of no kind that a field takes
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	if d.Decode(&v) != nil {
		return nil, path
	}
	return v, path
}

// whole is a whole number of at least 0; the first of the fields that is given. 0 where
// none is.
func (c *config) whole(fields ...string) int {
	for _, f := range fields {
		if v, path := c.get(f); v != nil {
			return c.asWhole(v, path)
		}
	}
	return 0
}

func (c *config) asWhole(v any, path string) int {
	const most = 1e9
	n, ok := v.(json.Number)
	if !ok {
		c.fail(path, catalog.NotANumber, v, fmt.Sprintf("0 … %d", int(most)))
		return 0
	}
	x, err := n.Float64()
	switch {
	case err != nil || x < 0 || x > most:
		c.fail(path, catalog.OutOfRange, n, fmt.Sprintf("0 … %d", int(most)))
		return 0
	case x != math.Trunc(x):
		c.fail(path, catalog.NotWhole, n, fmt.Sprintf("0 … %d", int(most)))
		return 0
	}
	return int(x)
}

// needed is whole, and an error where none of the fields is given or it is 0.
func (c *config) needed(fields ...string) int {
	before := len(c.errs)
	n := c.whole(fields...)
	if n == 0 && len(c.errs) == before {
		c.fail(c.within+fields[0], catalog.Missing, nil)
	}
	return n
}

// flag is a field that is true or false.
func (c *config) flag(field string, otherwise bool) bool {
	switch v, path := c.get(field); v := v.(type) {
	case nil:
		return otherwise
	case bool:
		return v
	default:
		c.fail(path, catalog.UnknownValue, v, "true", "false")
		return otherwise
	}
}

// text is a field of text; empty where it is not given.
func (c *config) text(field string) string {
	switch v, path := c.get(field); v := v.(type) {
	case nil:
		return ""
	case string:
		return v
	default:
		c.fail(path, catalog.UnknownValue, v, "text")
		return ""
	}
}

// words is a list of text, one for each layer.
func (c *config) words(field string) []string {
	v, path := c.get(field)
	if v == nil {
		return nil
	}
	if pattern, ok := v.(string); ok {
		return strings.Split(pattern, "")
	}
	items, ok := v.([]any)
	if !ok || len(items) > maxConfigLayers {
		c.fail(path, catalog.UnknownValue, nil, fmt.Sprintf("[…], ≤ %d", maxConfigLayers))
		return nil
	}
	out := make([]string, len(items))
	for i, item := range items {
		switch item := item.(type) {
		case string:
			out[i] = item
		case json.Number:
			out[i] = item.String()
		default:
			c.fail(path, catalog.UnknownValue, item, "text")
			return nil
		}
	}
	return out
}

// object is a field that has fields; nil where it is not given.
func (c *config) object(field string) fields {
	switch v, path := c.get(field); v := v.(type) {
	case nil:
		return nil
	case fields:
		return v
	default:
		c.fail(path, catalog.UnknownValue, v, "{…}")
		return nil
	}
}

// languageParts are where models of several parts have their language model.
var languageParts = []string{"text_config", "llm_config", "language_config", "thinker_config"}

// enter goes to the language model.
func (c *config) enter() {
	c.at = c.top
	for range 2 { // "thinker_config" has a "text_config" of its own
		for _, part := range languageParts {
			var inner fields
			if raw := c.at[part]; !isNull(raw) && json.Unmarshal(raw, &inner) == nil {
				c.at, c.within = inner, c.within+part+"."
				break
			}
		}
	}
}

// canonical is the configuration in one line, with what was looked at alone.
func (c *config) canonical() string {
	text, err := json.Marshal(c.used)
	if err != nil || utf8.RuneCount(text) > maxConfigRunes {
		return ""
	}
	return string(text)
}

// configuration reads the model of a request from the text of a configuration.
func (p *parser) configuration(text string) {
	m, errs := p.a.ReadConfig(strings.NewReader(text))
	for _, e := range errs {
		e.Param = "model" + strings.TrimPrefix(e.Param, configField)
		p.fail(e)
	}
	p.r.Workload.Model = m
}

// longest is how many characters the parameter at hand may have.
func (p *parser) longest(text string) int {
	if p.param.Name == "model" && strings.HasPrefix(text, "{") {
		return maxConfigRunes
	}
	return maxValueRunes
}

// recognise finds the preset that a configuration is of: its runs tell of the model.
func (a *Estimator) recognise(m *Model) {
	at := slices.IndexFunc(a.Models.All, func(x Model) bool {
		return x.WritesText() && x.Layers == m.Layers && x.Hidden == m.Hidden && x.Heads == m.Heads &&
			x.KVHeads == m.KVHeads && x.HeadDim == m.HeadDim && x.Experts == m.Experts &&
			x.Vocabulary == m.Vocabulary && x.SlidingWindow == m.SlidingWindow &&
			x.attentionLayers() == m.attentionLayers() && x.KVLoRARank == m.KVLoRARank &&
			math.Abs(x.Parameters/m.Parameters-1) < 0.02
	})
	if at >= 0 {
		x := &a.Models.All[at]
		m.ShapeOf, m.Family, m.TwinOf, m.KinOf = x.Shape(), x.Family, x.TwinOf, x.KinOf
	}
}
