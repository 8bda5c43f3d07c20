package store

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"tianti/catalog"
)

// annotations writes what a dataset knows beside its cards. The sources that it names must be those of the dataset.
func (in *rowWriter) annotations(a *catalog.Annotations) error {
	var lost *catalog.Problem
	a.Cite(func(source string, pos catalog.Pos) {
		if _, ok := in.sourceAt[source]; !ok && lost == nil {
			lost = &catalog.Problem{Pos: pos, Field: "source", Rule: "unknown-source",
				Msg: fmt.Sprintf("source %q is not among the sources of the dataset", source)}
		}
	})
	if lost != nil {
		return *lost
	}
	insert, err := in.inserter("annotations", "revision bigint, kind text, ordinal integer, body text")
	if err != nil {
		return err
	}
	defer insert.close()
	err = errors.Join(
		insertEach(in, insert, "generation", a.Generations),
		insertEach(in, insert, "measured", a.Measured),
		insertEach(in, insert, "claim", a.Claims),
		insertEach(in, insert, "equivalent", a.Equivalents),
		insertEach(in, insert, "term", a.Glossary),
		insertEach(in, insert, "benchmark", a.Benchmarks),
	)
	if err != nil {
		return err
	}
	return insert.flush()
}

func insertEach[T any](in *rowWriter, insert *inserter, kind string, list []T) error {
	from := in.annotated[kind]
	for i := range list {
		body, err := json.Marshal(&list[i])
		if err != nil {
			return fmt.Errorf("%s %d: %w", kind, i, err)
		}
		if err := insert.add(in.revision, kind, from+i, string(body)); err != nil {
			return fmt.Errorf("%s %d: %w", kind, i, err)
		}
	}
	in.annotated[kind] += len(list)
	return nil
}

// annotationsOf reads the annotations of some bodies.
func annotationsOf(ctx context.Context, q queryer, bodies []int64) (map[int64]*catalog.Annotations, error) {
	out := map[int64]*catalog.Annotations{}
	for _, n := range bodies {
		out[n] = &catalog.Annotations{}
	}
	var revision int64
	var kind, body string
	err := eachAmong(ctx, q, "SELECT revision, kind, body FROM annotations WHERE revision IN () "+
		"ORDER BY revision, kind, ordinal", bodies, nil, []any{&revision, &kind, &body}, func() error {
		a := out[revision]
		switch kind {
		case "generation":
			return appendJSON(&a.Generations, body)
		case "measured":
			return appendJSON(&a.Measured, body)
		case "claim":
			return appendJSON(&a.Claims, body)
		case "equivalent":
			return appendJSON(&a.Equivalents, body)
		case "term":
			return appendJSON(&a.Glossary, body)
		case "benchmark":
			return appendJSON(&a.Benchmarks, body)
		}
		return nil
	})
	return out, err
}

func appendJSON[T any](list *[]T, body string) error {
	var v T
	if err := json.Unmarshal([]byte(body), &v); err != nil {
		return fmt.Errorf("an annotation is not JSON: %w: %w", err, ErrCorrupt)
	}
	*list = append(*list, v)
	return nil
}
