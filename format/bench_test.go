package format_test

import (
	"bytes"
	"context"
	"fmt"
	"testing"

	"tianti/catalog"
	"tianti/format"
)

// million is a table of prices, and how many there are.
func million() ([]byte, int) {
	const n = 1_000_000
	b := bytes.NewBufferString("InstanceType,AcceleratorName,AcceleratorCount,Price,Region\n")
	names := []string{"A100", "H100", "RTX 4090", "T4", "L40S", "MI300X", "V100", "A10G"}
	for i := range n {
		fmt.Fprintf(b, "gpu_%dx_%06d,%s,%d,%d.%04d,us-east-%d\n", 1+i%8, i, names[i%len(names)], 1+i%8,
			1+i%30, i%10000, i%7)
	}
	return b.Bytes(), n
}

// taking matches every price and keeps none.
type taking struct {
	counting
	m *format.Matcher
}

func (c *taking) Price(p format.Price) error {
	c.n++
	c.m.Match(p.Subject)
	return nil
}

type counting struct{ n int }

func (c *counting) Source(catalog.Source) error           { return nil }
func (c *counting) Card(format.Card) error                { return nil }
func (c *counting) Price(format.Price) error              { c.n++; return nil }
func (c *counting) Rate(catalog.ExchangeRate) error       { return nil }
func (c *counting) Annotations(catalog.Annotations) error { return nil }
func (c *counting) Skip(format.Skipped) error             { return nil }
func (c *counting) Row(int)                               {}

func BenchmarkRows(b *testing.B) {
	data, n := million()
	snap := builtin(b)
	for _, bb := range []struct {
		name string
		read func(*format.File) int
	}{
		{"split", func(f *format.File) int {
			t, err := format.NewTable(context.Background(), f, &counting{})
			rows := 0
			for err == nil {
				if err = t.Next(); err == nil {
					rows++
				}
			}
			return rows
		}},
		{"read and match", func(f *format.File) int {
			s := &taking{m: format.NewMatcher(snap, nil)}
			format, _ := format.Lookup("skypilot")
			if err := format.Read(context.Background(), f, s); err != nil {
				b.Fatal(err)
			}
			return s.n
		}},
	} {
		b.Run(bb.name, func(b *testing.B) {
			b.SetBytes(int64(len(data)))
			b.ReportAllocs()
			for b.Loop() {
				f, err := format.Open("aws.csv", bytes.NewReader(data), on, format.DefaultLimits, "")
				if err != nil {
					b.Fatal(err)
				}
				if got := bb.read(f); got != n {
					b.Fatalf("got %d rows, want %d", got, n)
				}
			}
			b.ReportMetric(float64(n)*float64(b.N)/b.Elapsed().Seconds(), "rows/s")
		})
	}
}
