package format_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"tianti/catalog"
	"tianti/format"
)

// small are limits that fuzzing soon reaches.
var small = format.Limits{Bytes: 1 << 20, Ratio: 200, Line: 4 << 10, Columns: 50, Depth: 16, Cards: 1000, Facts: 10_000}

// strictSink fails the test when it is given what no dataset can hold.
type strictSink struct {
	script
	t *testing.T
}

func (s *strictSink) Price(p format.Price) error {
	if err := p.Validate(map[string]*catalog.Source{p.Source: {}}); err != nil &&
		!strings.Contains(err.Error(), "want one line") {
		s.t.Errorf("%+v: %v", p, err)
	}
	if !utf8.ValidString(p.Name) || p.Name == "" || p.MemoryGB < 0 {
		s.t.Errorf("the subject %+v", p.Subject)
	}
	return nil
}

func (s *strictSink) Skip(l format.Skipped) error {
	if l.Message == "" || l.Reason == "" || !utf8.ValidString(l.Name+l.Field+l.Message) {
		s.t.Errorf("left out without a reason: %+v", l)
	}
	return nil
}

// fuzzFormat reads arbitrary bytes by a format, whatever it detects.
func fuzzFormat(f *testing.F, id string, opt format.Options, seeds ...string) {
	for _, s := range seeds {
		f.Add([]byte(s))
	}
	way, ok := format.Lookup(id)
	if !ok {
		f.Fatalf("no format %s", id)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file, err := format.Open("x", bytes.NewReader(data), opt, small, "2026-11-21")
		if err == nil {
			defer file.Close()
			format.Detect(file.Head)
			err = way.Read(context.Background(), file, &strictSink{t: t})
		}
		var fe *format.FileError
		if err != nil && (!errors.As(err, &fe) || fe.Msg == "") {
			t.Errorf("%q: got %v, want an error about the file", data, err)
		}
	})
}

func FuzzSkypilot(f *testing.F) {
	fuzzFormat(
		f,
		"skypilot",
		on,
		"InstanceType,AcceleratorName,AcceleratorCount,Price,GpuInfo\n"+
			"a,A100,8,1.5,\"{'Gpus': [{'Name': 'A100', 'MemoryInfo': {'SizeInMiB': 80}}]}\"\n",
		"\xff\xfeA\x00,\x00",
		"PK\x03\x04",
		"\x1f\x8b\x08",
	)
}

func FuzzGpuhunt(f *testing.F) {
	fuzzFormat(
		f,
		"gpuhunt",
		on,
		"instance_name,location,price,gpu_count,gpu_name,gpu_memory,spot,gpu_vendor\ni,us,1,2,A10,24.0,False,nvidia\n",
	)
}

func FuzzPcpart(f *testing.F) {
	fuzzFormat(
		f,
		"pcpart",
		on,
		"name,price,chipset,memory,core_clock,color\nMSI,299.97,GeForce RTX 3060 12GB,12,1320,Black\n",
		`[{"name":"MSI","price":299.97,"chipset":"X","memory":12}]`,
		"{\"name\":\"a\",\"price\":null}\n{\"chipset\":1}",
	)
}

func FuzzEC2(f *testing.F) {
	fuzzFormat(
		f,
		"ec2instances",
		on,
		`[{"instance_type":"p5.48xlarge","vCPU":1,"GPU":8,"GPU_model":"H","GPU_memory":640,"pricing":{"us":{"linux":{"ondemand":"98.32","reserved":{"yrTerm1Standard.noUpfront":"61"},"spot_avg":"3"},"dedicated":"1"}}}]`,
	)
}

func FuzzAWSGPU(f *testing.F) {
	fuzzFormat(
		f,
		"awsgpu",
		on,
		`[{"name":"p4de.24xlarge","gpu":"A","gpuCount":8,"gpuMemory":"640 GB HBM2e","pricing":{"us":{"onDemand":40.96,"reserved":25.6,"spot":1}}}]`,
	)
}

func FuzzTable(f *testing.F) {
	opt := on
	opt.Kind, opt.Currency = catalog.StreetPrice, "USD"
	fuzzFormat(
		f,
		"table",
		opt,
		"gpu,price,date,memory gb,tdp,ecc,launched,tax,cards\nA100,1.5,2024-03,80,400,yes,Mar 2024,,1\n",
		"型号;价格\n昇腾;8,5\n",
		"card|amount|kind|unit|term\na|1|reserved|month|12\n",
	)
}

func FuzzGPUPricesGR(f *testing.F) {
	fuzzFormat(
		f,
		"gpu-prices-gr",
		on,
		`{"updatedAt":"2026-10-07T06:31:58+00:00","listings":[{"source":"snif","title":"X","price":1.5,"chip":"A","vram":8,"scrapedAt":"2026-10-06T00:00:00Z"}]}`,
	)
}

func FuzzGPUPriceFeed(f *testing.F) {
	fuzzFormat(
		f,
		"gpu-price-feed",
		on,
		`{"cheapest":{"runpod":{"H100 80GB SXM":2.69}},"collected_at":"2026-10-01T13:13:26+00:00","schema_version":2}`,
	)
}

func FuzzGCPPricing(f *testing.F) {
	fuzzFormat(
		f,
		"gcp-pricing",
		on,
		"about:\n  generated: Thu Mar  6 03:53:56 2025\ncompute:\n  instance:\n    a2:\n      a100: 2\n      cost:\n"+
			"        us:\n          hour: 7.3\n",
	)
}
