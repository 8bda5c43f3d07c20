package ui_test

import (
	"context"
	"io"
	"testing"

	"tianti/web/ui"
	"tianti/web/ui/uitest"
)

func BenchmarkTableRows500x10(b *testing.B) {
	rows := ui.TableRows(uitest.ManyRows(500, 10))
	b.ReportAllocs()
	for b.Loop() {
		if err := rows.Render(context.Background(), io.Discard); err != nil {
			b.Fatal(err)
		}
	}
}
