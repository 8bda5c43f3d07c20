package sizing

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
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
	c := &config{top: top, used: map[string]any{}}
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

// decodeConfig reads one JSON object of bounded depth.
func decodeConfig(text []byte) (map[string]any, *catalog.ParamError) {
	bad := func(value string) (map[string]any, *catalog.ParamError) {
		return nil, &catalog.ParamError{Param: configField, Value: value, Code: catalog.NotJSON,
			Allowed: fmt.Sprintf("{…}, ≤ %d levels", maxConfigDepth)}
	}
	depth := 0
	for d := json.NewDecoder(bytes.NewReader(text)); ; {
		token, err := d.Token()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return bad("byte " + strconv.FormatInt(d.InputOffset(), 10))
		}
		switch token {
		case json.Delim('{'), json.Delim('['):
			depth++
		case json.Delim('}'), json.Delim(']'):
			depth--
		}
		if depth > maxConfigDepth {
			return bad("byte " + strconv.FormatInt(d.InputOffset(), 10))
		}
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.UseNumber()
	var top map[string]any
	if err := d.Decode(&top); err != nil || top == nil || d.More() {
		return bad("")
	}
	return top, nil
}

// A config is a configuration that is being read: the language model in at, or in top
// where at has no such field.
type config struct {
	top, at map[string]any
	within  string // the path of at
	used    map[string]any
	errs    []catalog.ParamError
}

func (c *config) fail(field string, code catalog.ParamCode, value any, allowed ...string) {
	e := catalog.ParamError{Param: configField + "." + clip(field), Code: code, Allowed: catalog.Listed(allowed...)}
	if value != nil {
		e.Value = clip(fmt.Sprint(value))
	}
	c.errs = append(c.errs, e)
}

// get is a field and its path; nil where it is not given, or null.
func (c *config) get(field string) (any, string) {
	if v := c.at[field]; v != nil {
		c.used[field] = v
		return v, c.within + field
	}
	if v := c.top[field]; v != nil && c.within != "" {
		c.used[field] = v
		return v, field
	}
	return nil, c.within + field
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
func (c *config) object(field string) map[string]any {
	switch v, path := c.get(field); v := v.(type) {
	case nil:
		return nil
	case map[string]any:
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
			if inner, ok := c.at[part].(map[string]any); ok {
				c.at, c.within = inner, c.within+part+"."
				break
			}
		}
	}
}

// canonical is the configuration in one line, with what was looked at alone.
func (c *config) canonical() string {
	used := maps.Clone(c.used)
	for field, v := range used {
		if o, ok := v.(map[string]any); ok && field == "quantization_config" {
			used[field] = trimmed(o)
		}
	}
	text, err := json.Marshal(used)
	if err != nil || utf8.RuneCount(text) > maxConfigRunes {
		return ""
	}
	return string(text)
}

// trimmed leaves out of a quantization_config what is not looked at.
func trimmed(o map[string]any) map[string]any {
	out := map[string]any{}
	for _, field := range quantisationFields {
		if v := o[field]; v != nil {
			out[field] = v
		}
	}
	return out
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
		return x.isDecoder() && x.Layers == m.Layers && x.Hidden == m.Hidden && x.Heads == m.Heads &&
			x.KVHeads == m.KVHeads && x.HeadDim == m.HeadDim && x.Experts == m.Experts &&
			x.Vocabulary == m.Vocabulary && x.SlidingWindow == m.SlidingWindow &&
			x.attentionLayers() == m.attentionLayers() && x.KVLoRARank == m.KVLoRARank &&
			math.Abs(x.Parameters/m.Parameters-1) < 0.02
	})
	if at >= 0 {
		m.ShapeOf, m.Family = a.Models.All[at].Shape(), a.Models.All[at].Family
	}
}
