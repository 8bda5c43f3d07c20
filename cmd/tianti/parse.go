package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"github.com/alecthomas/kong"
	kongcompletion "github.com/jotaen/kong-completion"
	"github.com/posener/complete"
)

// traced is the command line as kong reads it, step by step; it is nil after help was printed. Kong's Parse, Validate
// and Run look for hooks and Run by names that only the running program knows; one such call that can be reached makes
// the linker keep all methods of all types, a fifth of the program.
func traced(parser *kong.Kong, args []string) (*kong.Context, error) {
	k, err := kong.Trace(parser, args)
	if err != nil {
		return nil, err
	}
	if k.Error != nil {
		return nil, k.Error
	}
	for _, p := range k.Path {
		if p.Flag != nil && p.Flag == k.Model.HelpFlag {
			return nil, k.PrintUsage(false)
		}
	}
	if err := k.Reset(); err != nil {
		return nil, err
	}
	if err := k.Resolve(); err != nil {
		return nil, err
	}
	if _, err := k.Apply(); err != nil {
		return nil, err
	}
	return k, validated(k)
}

// validated is what is wrong with the values of the selected command, by their tags and by the methods validate.
func validated(k *kong.Context) error {
	for _, p := range k.Path {
		if node := p.Node(); node != nil {
			for _, value := range node.Values() {
				if value.Set || !value.Required {
					if err := inEnum(value, value.Target); err != nil {
						return err
					}
				}
			}
		}
	}
	for _, p := range k.Path {
		if err := validMethod(p); err != nil {
			return err
		}
	}
	node := k.Selected()
	if node == nil {
		node = k.Model.Node
	}
	return errors.Join(missingFlags(k), missingCommand(node), missingArguments(node))
}

// inEnum checks a value, or each of a list, against its tag enum.
func inEnum(value *kong.Value, target reflect.Value) error {
	if value.Enum == "" {
		return nil
	}
	if target.Kind() == reflect.Slice {
		for i := range target.Len() {
			if err := inEnum(value, target.Index(i)); err != nil {
				return err
			}
		}
		return nil
	}
	got := fmt.Sprint(target.Interface())
	var allowed []string
	for _, enum := range value.EnumSlice() {
		if enum == got {
			return nil
		}
		allowed = append(allowed, strconv.Quote(enum))
	}
	return fmt.Errorf("%s must be one of %s but got %q", value.ShortSummary(), strings.Join(allowed, ","), got)
}

// validMethod calls validate of what stands on the command line: a command, a flag, an argument.
func validMethod(p *kong.Path) error {
	var target reflect.Value
	var name string
	switch at := p.Visitable().(type) {
	case *kong.Application:
		target = at.Target
	case *kong.Node:
		target, name = at.Target, at.Path()
	case *kong.Value:
		target, name = at.Target, at.ShortSummary()
	case *kong.Flag:
		target, name = at.Target, at.ShortSummary()
	}
	if !target.IsValid() || !target.CanAddr() {
		return nil
	}
	v, ok := target.Addr().Interface().(interface{ validate() error })
	if !ok {
		return nil
	}
	if err := v.validate(); err != nil && name != "" {
		return fmt.Errorf("%s: %w", name, err)
	} else {
		return err
	}
}

func missingFlags(k *kong.Context) error {
	var missing []string
	for _, flag := range k.Flags() {
		if flag.Required && !flag.Set {
			missing = append(missing, flag.Summary())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return errors.New("missing flags: " + strings.Join(missing, ", "))
}

// missingCommand says that a group of commands was given without one of them.
func missingCommand(node *kong.Node) error {
	if _, ok := node.Target.Addr().Interface().(command); ok {
		return nil
	}
	var missing []string
	for _, child := range node.Children {
		if !child.Hidden {
			missing = append(missing, strconv.Quote(child.Name))
		}
	}
	switch n := len(missing); {
	case n == 0:
		return nil
	case n == 1:
		return errors.New("expected " + missing[0])
	case n > 5:
		missing = append(missing[:5], "...")
	}
	return errors.New("expected one of " + strings.Join(missing, ", "))
}

func missingArguments(node *kong.Node) error {
	var missing []string
	for _, arg := range node.Positional {
		if arg.Required && !arg.Set {
			missing = append(missing, arg.Summary())
		}
	}
	if len(missing) == 0 {
		return nil
	}
	return fmt.Errorf("expected %q", strings.Join(missing, " "))
}

// completed is what a shell may offer where the cursor stands in a line, each in a line of its own.
func completed(parser *kong.Kong, line string, point int) (string, error) {
	cmd, err := kongcompletion.Command(parser, kongcompletion.WithPredictor("file", complete.PredictFiles("*")))
	if err != nil {
		return "", err
	}
	if point >= 0 && point < len(line) {
		line = line[:point]
	}
	words := strings.Fields(line)
	if line == "" || unicode.IsSpace(rune(line[len(line)-1])) {
		words = append(words, "")
	}
	// A value after = is completed by itself.
	last := len(words) - 1
	words = append(words[:last], strings.Split(words[last], "=")...)
	last = len(words) - 1
	args := complete.Args{Last: words[last]}
	if last > 0 {
		args.All, args.Completed = words[1:], words[1:last]
	}
	if n := len(args.Completed); n > 0 {
		args.LastCompleted = args.Completed[n-1]
	}
	var b strings.Builder
	options := cmd.Predict(args)
	slices.Sort(options)
	for _, option := range options {
		if strings.HasPrefix(option, args.Last) {
			b.WriteString(option + "\n")
		}
	}
	return b.String(), nil
}
