package format_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tianti/catalog"
	"tianti/format"
)

// A script is a sink that writes down what it is given, in short.
type script struct {
	lines   []string
	sources []catalog.Source
}

func (s *script) add(format string, args ...any) error {
	s.lines = append(s.lines, fmt.Sprintf(format, args...))
	return nil
}
func (s *script) Source(x catalog.Source) error { s.sources = append(s.sources, x); return nil }
func (s *script) Card(c format.Card) error {
	var facts []string
	for _, f := range c.Facts {
		facts = append(facts, fmt.Sprintf("%s=%v%s", f.Quantity, f.Number, f.Text))
	}
	return s.add("%d card %s %v %s %s", c.Pos.Line, c.Subject.Name, c.Also, c.Vendor, strings.Join(facts, " "))
}
func (s *script) Price(p format.Price) error {
	line := fmt.Sprintf(
		"%d %s %v %v: %s %s ×%d %s %s@%s %s",
		p.Pos.Line,
		p.Name,
		p.Also,
		p.MemoryGB,
		p.Kind,
		p.Amount,
		p.Cards,
		p.Unit,
		p.Instance,
		p.Seller,
		p.Region,
	)
	if p.Term > 0 {
		line += fmt.Sprintf(" %d months", p.Term)
	}
	return s.add("%s", line)
}
func (s *script) Rate(catalog.ExchangeRate) error       { return nil }
func (s *script) Annotations(catalog.Annotations) error { return nil }
func (s *script) Skip(l format.Skipped) error {
	return s.add("%d left %s %s %s: %s", l.Line, l.Name, l.Field, l.Reason, l.Message)
}
func (s *script) Row(int) {}

// scripted reads a text by the format that detects it, which must be the wanted one.
func scripted(t *testing.T, wanted, name, text string, opt format.Options) (*script, error) {
	t.Helper()
	f, err := format.Open(name, strings.NewReader(text), opt, format.DefaultLimits, "2026-11-21")
	if err != nil {
		return nil, err
	}
	defer f.Close()
	found, may := format.Detect(f.Head)
	if found == nil && len(may) > 0 {
		found = may[len(may)-1]
	}
	if found == nil || found.ID != wanted {
		t.Fatalf("%s: detected as %v, want %s", name, found, wanted)
	}
	s := &script{}
	return s, found.Read(context.Background(), f, s)
}

var on = format.Options{Date: "2026-11-20"}

func TestFormatsOfPrices(t *testing.T) {
	for _, tt := range []struct {
		format, name, text string
		opt                format.Options
		want               []string
	}{
		{"skypilot", "catalogs/v8/runpod/vms.csv",
			`InstanceType,AcceleratorName,AcceleratorCount,vCPUs,Region,SpotPrice,Price,AvailabilityZone,GpuInfo
2x_A100-80GB_SECURE,A100-80GB,2.0,16.0,IN,2.5,2.78,AP-IN-1,"{'Gpus': [{'Name': 'A100 PCIe', 'Manufacturer': 'Nvidia', 'Count': 2, 'MemoryInfo': {'SizeInMiB': 80}}], 'TotalGpuMemoryInMiB': 160}"
cpu,,,16.0,IN,2.5,2.78,AP-IN-1,
part,A10,0.5,6,IN,,0.45,,
free,A10,1,6,IN,0,,,
odd,A10,1,6,IN,x,1,,broken{
`, on, []string{
				"2 A100-80GB [Nvidia A100 PCIe A100 PCIe] 80: on_demand 2.78 USD ×2 hour 2x_A100-80GB_SECURE@RunPod " +
					"AP-IN-1",
				"2 A100-80GB [Nvidia A100 PCIe A100 PCIe] 80: spot 2.5 USD ×2 hour 2x_A100-80GB_SECURE@RunPod AP-IN-1",
				"3 left cpu  not-accelerator: the instance has no accelerator",
				"4 left A10 AcceleratorCount bad-value: the price is for 0.5 cards; want whole ones, 1 to 100000",
				"5 left A10  no-price: the row has no price",
				"6 A10 [] 0: on_demand 1 USD ×1 hour odd@RunPod IN",
				`6 left A10 SpotPrice bad-value: "x" is not a number: want digits such as 1234.5`,
			}},
		{"skypilot", "skypilot-nebius-vms.csv", `Region;Price;AcceleratorCount;AcceleratorName;InstanceType
eu;23,60;8;H100;gpu-h100-sxm_8gpu-128vcpu-1600gb
`, on, []string{"2 H100 [] 0: on_demand 23.6 USD ×8 hour gpu-h100-sxm_8gpu-128vcpu-1600gb@Nebius eu"}},
		{"skypilot", "aws/vms.csv", "InstanceType,AcceleratorName,AcceleratorCount,Price\np4d.24xlarge,A100,8,32.77\n" +
			",A100,1,2\n", format.Options{Date: "2026-11", Seller: "AWS", Currency: "EUR"}, []string{
			"2 A100 [] 0: on_demand 32.77 EUR ×8 hour p4d.24xlarge@AWS ",
			"3 A100 [] 0: accelerator 2 EUR ×1 hour @AWS ",
		}},
		{"skypilot", "vast/vms.csv",
			`InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Price,SpotPrice,Region
2x-RTX_4070S_Ti-32-65536,RTX4070,2,32,64.0,"{'Gpus': [{'Name': 'RTX4070', 'Count': 2, 'MemoryInfo': {'SizeInMiB': 32768}}], 'TotalGpuMemoryInMiB': 32768}",0.36,0.00,"Bulgaria, BG, EU"
4x-A100_SXM4-32-65536,A100,4,32,64.0,"{'Gpus': [{'Name': 'A100', 'Count': 4, 'MemoryInfo': {'SizeInMiB': 163840}}], 'TotalGpuMemoryInMiB': 163840}",3.09,0.00,"Oregon, US, NA"
`, on, []string{
				"2 RTX 4070S Ti [] 16: on_demand 0.36 USD ×2 hour 2x-RTX_4070S_Ti-32-65536@Vast.ai Bulgaria, BG, EU",
				"3 A100 SXM4 [A100] 40: on_demand 3.09 USD ×4 hour 4x-A100_SXM4-32-65536@Vast.ai Oregon, US, NA",
			}},
		{"skypilot", "gcp/vms.csv",
			`InstanceType,AcceleratorName,AcceleratorCount,Price,SpotPrice,Region,AvailabilityZone,GpuInfo
,tpu-v4-8,1.0,12.88,,us-central2,us-central2-b,
,tpu-v5litepod-16,1.0,19.2,,us-west4,us-west4-a,
,A100,8,23.47,7.04,us-west4,,"{""Gpus"": [{""Name"": ""A100"", ""MemoryInfo"": {""SizeInMiB"": 40960}}]}"
`, on, []string{
				"2 TPU v4 [] 0: accelerator 12.88 USD ×4 hour @Google Cloud us-central2-b",
				"3 TPU v5litepod [] 0: accelerator 19.2 USD ×16 hour @Google Cloud us-west4-a",
				"4 A100 [A100] 40: accelerator 23.47 USD ×8 hour @Google Cloud us-west4",
				"4 A100 [A100] 40: accelerator_spot 7.04 USD ×8 hour @Google Cloud us-west4",
			}},
		{"gpuhunt", "lambdalabs.csv",
			`instance_name,location,price,cpu,memory,gpu_count,gpu_name,gpu_memory,spot,disk_size,gpu_vendor,flags
i2,us,1.0,30,240,2,A10,24.0,False,,nvidia,f1
i3,us,0.4,30,240,1,MI300X,192.0,True,,amd,
cpu,us,0.4,30,240,0,,,False,,,
i4,us,,30,240,1,A10,24.0,False,,nvidia,
i5,us,1,30,240,1,A10,24.0,maybe,,nvidia,
`, on, []string{
				"2 A10 [NVIDIA A10] 24: on_demand 1 USD ×2 hour i2@Lambda us",
				"3 MI300X [AMD MI300X] 192: spot 0.4 USD ×1 hour i3@Lambda us",
				"4 left cpu  not-accelerator: the instance has no accelerator",
				"5 left A10 price no-price: the row has no price",
				`6 left A10 spot bad-value: "maybe" does not say whether the offer is spot; want True or False`,
			}},
		{"pcpart", "video-card.csv", "name,price,chipset,memory,core_clock,boost_clock,color,length\n" +
			"MSI Ventus,299.97,GeForce RTX 3060 12GB,12,1320,1777,Black,235\nAsus,,GeForce RTX 3070 LHR,8,,,,\n" +
			"Asus,400,GeForce RTX 3070 LHR,8,,,,\n", on, []string{
			"2 GeForce RTX 3060 12GB [] 12: street 299.97 USD ×1 card MSI Ventus (Black)@PCPartPicker US",
			"3 left GeForce RTX 3070 LHR price no-price: the board has no price",
			"4 GeForce RTX 3070 LHR [GeForce RTX 3070 8GB GeForce RTX 3070] 8: street 400 USD ×1 card " +
				"Asus@PCPartPicker US",
		}},
		{"pcpart", "video-card.json",
			`[{"name":"MSI Ventus","price":299.97,"chipset":"GeForce RTX 3060 12GB","memory":12,"core_clock":1320,"boost_clock":1777,"color":"Black","length":235},
{"name":"A","price":null,"chipset":"X","memory":null},
{"name":"A","price":[1],"chipset":"X","memory":null}]`, on, []string{
				"1 GeForce RTX 3060 12GB [] 12: street 299.97 USD ×1 card MSI Ventus (Black)@PCPartPicker US",
				"2 left X price no-price: the board has no price",
				`3 left   bad-value: the record cannot be read: want a text or number, not [1]`,
			}},
		{"pcpart", "video-card.jsonl",
			`{"name":"MSI Ventus","price":299.97,"chipset":"GeForce RTX 3060 12GB","memory":12}` + "\n" +
				`{"name":"B","price":1,"chipset":"Y","memory":4}`, on, []string{
				"1 GeForce RTX 3060 12GB [] 12: street 299.97 USD ×1 card MSI Ventus@PCPartPicker US",
				"2 Y [Y 4GB] 4: street 1 USD ×1 card B@PCPartPicker US",
			}},
		{"ec2instances", "instances.json",
			`[{"instance_type":"p5.48xlarge","family":"GPU instance","vCPU":192,"memory":2048,"pretty_name":"P5","GPU":8,"pricing":{
  "us-east-1":{"linux":{"ondemand":"98.32","reserved":{"yrTerm1Standard.noUpfront":"61.1","yrTerm1Savings.noUpfront":"60","yrTerm3Savings.noUpfront":"43.2"},"spot_avg":"31.5","spot_min":"30"},"rhel":{"ondemand":"99"},"dedicated":"103"},
  "cn-north-1":{"linux":{"ondemand":"700"}},"eu-west-1":{"ebs":"0.1"}},"GPU_model":"NVIDIA H100","GPU_memory":640},
 {"instance_type":"m5.large","vCPU":2,"GPU":0,"pricing":{},"GPU_model":null,"GPU_memory":0},
 {"instance_type":"trn1.2xlarge","vCPU":8,"GPU":1,"pricing":{"us-east-1":{"linux":{"ondemand":"1.34"}}},"GPU_model":"AWS Inferentia","GPU_memory":32},
 {"instance_type":"g6f.large","vCPU":2,"GPU":0.125,"pricing":{},"GPU_model":"NVIDIA L4","GPU_memory":3},
 {"instance_type":"g4dn.metal","vCPU":96,"GPU":8,"pricing":{"us-east-1":{"linux":{"ondemand":"0"}}},"GPU_model":"NVIDIA T4 Tensor Core","GPU_memory":128}]`, on, []string{
				"1 NVIDIA H100 [] 80: on_demand 700 CNY ×8 hour p5.48xlarge@AWS cn-north-1",
				"1 NVIDIA H100 [] 80: on_demand 98.32 USD ×8 hour p5.48xlarge@AWS us-east-1",
				"1 NVIDIA H100 [] 80: spot 31.5 USD ×8 hour p5.48xlarge@AWS us-east-1",
				"1 NVIDIA H100 [] 80: reserved 61.1 USD ×8 hour p5.48xlarge@AWS us-east-1 12 months",
				"1 NVIDIA H100 [] 80: reserved 43.2 USD ×8 hour p5.48xlarge@AWS us-east-1 36 months",
				"4 left m5.large  not-accelerator: the instance has no accelerator",
				"5 left AWS Inferentia GPU_model bad-value: the file gives Inferentia for an instance with Trainium; " +
					"want AWS Trainium",
				"6 left NVIDIA L4 GPU bad-value: the price is for 0.125 cards; want whole ones, 1 to 100000",
				"7 left NVIDIA T4 Tensor Core  no-price: the instance has no Linux price in any region",
			}},
		{"gpu-prices-gr", "latest.json",
			`{"updatedAt": "2026-10-07T06:31:58+00:00", "sources": {"skroutz": {"count": 2, "ok": false}}, "listings": [
{"id": "s:1", "source": "skroutz", "title": "Sparkle Arc A750 8GB Titan", "price": 342.0, "chip": "Arc A750", "vram": 8, "scrapedAt": "2026-10-06T18:52:48+00:00"},
{"id": "s:2", "source": "skroutz", "title": "Sparkle Arc A750 8GB Luna", "price": 267.16, "chip": "Arc A750", "vram": 8, "scrapedAt": "2026-10-06T18:52:48+00:00"},
{"id": "b:1", "source": "bestprice", "title": "ASRock Arc A750", "price": 249.0, "chip": "Arc A750", "vram": 8, "scrapedAt": "2026-10-07T06:31:58+00:00"},
{"id": "b:2", "source": "bestprice", "title": "Gone", "price": null, "chip": "Arc A310", "vram": 4, "scrapedAt": "2026-10-07T06:31:58+00:00"}]}
`, format.Options{}, []string{
				"1 left Arc A310  no-price: the listing has no price",
				"1 Arc A750 [Arc A750 8GB] 8: street 267.16 EUR ×1 card Sparkle Arc A750 8GB Luna@Skroutz GR",
				"1 Arc A750 [Arc A750 8GB] 8: street 249 EUR ×1 card ASRock Arc A750@BestPrice.gr GR",
			}},
		{"gpu-price-feed", "2026-10.jsonl",
			`{"cheapest": {"runpod": {"H100 80GB SXM": 2.69, "V100 16GB (form unstated)": 0.1, "RTX PRO 6000 Blackwell 24GB Server MIG": 0.59}}, "collected_at": "2026-10-01T13:13:26+00:00", "schema_version": 2}
{"cheapest": {"vastai": {"H100 80GB": 1.8}}, "collected_at": "2026-07-01T13:13:26+00:00"}
{"cheapest": {"vastai": {"GTX 1650 S": 0.6778, "L4 24GB": null}}, "collected_at": "2026-10-01T23:13:26+00:00", "schema_version": 2}
`, format.Options{}, []string{
				"1 H100 80GB SXM [H100 SXM 80GB H100 SXM] 80: on_demand 2.69 USD ×1 hour @RunPod ",
				"1 left RTX PRO 6000 Blackwell 24GB Server MIG  bad-value: the price is for a part of a card; want " +
					"whole ones",
				"1 V100 16GB (form unstated) [] 0: on_demand 0.1 USD ×1 hour @RunPod ",
				"2 left  schema_version bad-value: only lines of schema 2 are read: before, SXM and PCIe cards had " +
					"one name",
				"3 GTX 1650 S [] 0: on_demand 0.6778 USD ×1 hour @Vast.ai ",
				"3 left L4 24GB  no-price: the accelerator has no price",
			}},
		{"gcp-pricing", "pricing.yml", `---
about:
  copyright: |2

    Some text: of several lines
  generated: Thu Mar  6 03:53:56 2025
  timestamp: 1741233236
  url: https://github.com/Cyclenerd/google-cloud-pricing-cost-calculator
compute:
  instance:
    a2-highgpu-2g:
      a100: 2
      cost:
        us-east1:
          hour: 7.34677
          hour_spot: 2.58671
          month: 5363.1421
          month_1y: 3378.7422784
          month_spot: 1888.2983
      cpu: 24
    c2-standard-4:
      cost:
        us-east1:
          hour: 0.2
    g2-standard-4:
      cost:
        us-east1:
          hour: x
      l4: 1
  license:
    rhel:
      cost: 1
`, format.Options{}, []string{
			"15 NVIDIA A100 SXM4 40GB [] 40: on_demand 7.34677 USD ×2 hour a2-highgpu-2g@Google Cloud us-east1",
			"16 NVIDIA A100 SXM4 40GB [] 40: spot 2.58671 USD ×2 hour a2-highgpu-2g@Google Cloud us-east1",
			"18 NVIDIA A100 SXM4 40GB [] 40: reserved 3378.742278 USD ×2 month a2-highgpu-2g@Google Cloud us-east1 " +
				"12 months",
			"25 left c2-standard-4  not-accelerator: the machine has no accelerator that is known",
			`28 left NVIDIA L4 hour bad-value: "x" is not a number: want digits such as 1234.5`,
		}},
		{"awsgpu", "aws-gpu-instances.json", `[
 {"name":"p4de.24xlarge","gpu":"NVIDIA A100","gpuCount":8,"gpuMemory":"640 GB HBM2e","vcpu":96,"pricing":{"us-east-1":{"onDemand":40.96,"reserved":25.6}}},
 {"name":"g3s.xlarge","gpu":"NVIDIA M60","gpuCount":1,"gpuMemory":"Unknown","pricing":{"us-east-1":{"onDemand":0.75}}},
 {"name":"p5e.48xlarge","gpu":"NVIDIA H200","gpuCount":8,"gpuMemory":"1128 GB HBM3e","pricing":{}}
]`, on, []string{
			"2 NVIDIA A100 [] 80: on_demand 40.96 USD ×8 hour p4de.24xlarge@AWS us-east-1",
			"2 NVIDIA A100 [] 80: reserved 25.6 USD ×8 hour p4de.24xlarge@AWS us-east-1 12 months",
			"3 NVIDIA M60 [] 0: on_demand 0.75 USD ×1 hour g3s.xlarge@AWS us-east-1",
			"4 left NVIDIA H200 pricing no-price: the instance has no price in any region",
		}},
		{"table", "my prices.csv", "显卡;价格;币种;日期;商家;显存 (GB);TDP;note\n" +
			"RTX 4090;¥ 12.999,00;CNY;03/04/2024;JD;24;450;x\nRTX 5090;n/a;CNY;2025;JD;32;;\n;1;CNY;2025;JD;;;\n" +
			"RTX 3090;5000;XYZ;13/04/2024;JD;;abc;\n", format.Options{Kind: catalog.StreetPrice, DayOrder: "dmy"},
			[]string{
				"2 card RTX 4090 []  memory_gb=24 tdp_w=450",
				"2 RTX 4090 [] 24: street 12999 CNY ×1 card @JD ",
				"3 card RTX 5090 []  memory_gb=32",
				"3 left RTX 5090 价格 no-price: the row has no price",
				"4 left  显卡 bad-value: the row names no card",
				`5 left RTX 3090 TDP bad-value: "abc" is not a number: want digits such as 1234.5`,
				`5 left RTX 3090 币种 bad-value: currency: "XYZ" is no ISO 4217 code of a currency`,
			}},
		{"table", "specs.csv", "Model\tBW (TB/s)\tECC\tOut\tMaker\nX1\t3.35\tyes\tMar 2024\tACME\n" +
			"X2\t-\tmaybe\t\tACME\nX3\t—\t\t\t\n", format.Options{Columns: map[string]string{
			"Model": "card", "BW (TB/s)": "memory_bandwidth_gb_s * 1000", "ECC": "ecc", "Out": "launched",
			"Maker": "vendor"}}, []string{
			"2 card X1 [ACME X1] ACME memory_bandwidth_gb_s=3350 ecc=0true launched=02024-03",
			`3 left X2 ECC bad-value: "maybe" is neither yes nor no`,
			"3 left X2  no-value: the row has no value of a quantity",
			"4 left X3  no-value: the row has no value of a quantity",
		}},
		{"table", "rent.csv", "gpu,price,kind,gpu count,term,unit,tax\nA100,1.5,On-demand,8,,,\n" +
			"A100,1.2,reserved,1,12,hour,excluded\nA100,1.2,reserved,1,x,hour,\nA100,1.2,lease,1,,hour,\n" +
			"A100,1.2,,1,,hour,\nA100,1.2,spot,0,,hour,\n", format.Options{Date: "2026-11-20", Currency: "USD"},
			[]string{
				"2 A100 [] 0: on_demand 1.5 USD ×8 hour @ ",
				"3 A100 [] 0: reserved 1.2 USD ×1 hour @  12 months",
				`4 left A100 term bad-value: "x" is no term; want whole months`,
				`5 left A100 kind bad-value: kind: "lease" is no kind of price; want one of launch, street, used, computer, server, on_demand, spot, reserved, monthly, accelerator, accelerator_spot`,
				`6 left A100 kind bad-value: the row does not say what kind of price it is; map a column to kind or say it for the file`,
				`7 left A100 gpu count bad-value: the row does not say how many cards its price is for`,
			}},
	} {
		s, err := scripted(t, tt.format, tt.name, tt.text, tt.opt)
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		if diff := cmp.Diff(tt.want, s.lines); diff != "" {
			t.Errorf("%s: %s", tt.name, diff)
		}
		if len(s.sources) != 1 || !catalog.IDPattern.MatchString(s.sources[0].ID) {
			t.Errorf("%s: sources %+v, want one", tt.name, s.sources)
		}
	}
}

func TestSourcesMayBeReplaced(t *testing.T) {
	own := &catalog.Source{
		Publisher: "We",
		Title:     "Our list",
		URL:       "https://example.com",
		Kind:      "press",
		Published: "2026-01",
	}
	s, err := scripted(
		t,
		"skypilot",
		"aws.csv",
		"AcceleratorName,AcceleratorCount,Price\nA100,1,2\n",
		format.Options{Date: "2026-11-20", Source: own},
	)
	if err != nil {
		t.Fatal(err)
	}
	want := *own
	want.ID = "skypilot-catalog-2026-11-20"
	if diff := cmp.Diff([]catalog.Source{want}, s.sources); diff != "" {
		t.Error(diff)
	}
}

func TestFilesThatLackWhatIsNeeded(t *testing.T) {
	for _, tt := range []struct {
		format, text string
		opt          format.Options
		field, msg   string
	}{
		{"skypilot", "AcceleratorName,AcceleratorCount,Price\nA100,1,2\n", format.Options{}, "date",
			"does not say of which day"},
		{"skypilot", "AcceleratorName,AcceleratorCount,Price\nA100,1,2\n", format.Options{Date: "2026"}, "date",
			`"2026" is no day or month`},
		{"skypilot", "AcceleratorName,AcceleratorCount,Price\nA100,1,2\n", format.Options{Date: "2026-11-22"}, "date",
			"2026-11-22 is in the future; today is 2026-11-21"},
		{"skypilot", "AcceleratorName,AcceleratorCount,Price\nA100,1,2\n",
			format.Options{Date: "2026-11", Currency: "$"}, "currency", `"$" is no ISO 4217 code`},
		{"table", "gpu,price\nA100,2\n", format.Options{Date: "tomorrow"}, "date", `"tomorrow" is no day or month`},
		{"pcpart", `{"name":"B","price":1,"chipset":"Y","memory":4}`, format.Options{}, "date",
			"does not say of which day"},
		{"pcpart", `[{"name":"B","price":1,"chipset":"Y","memory":4}`, on, "", "ends in the middle"},
		{"pcpart", `[{"name":"B","price":1,"chipset":"Y","memory":4}] x`, on, "", "cannot be read"},
		{"table", "a,b\n1,2\n", format.Options{}, "columns", "no column is said to hold the card; the table has a, b"},
		{"table", "gpu,b\n1,2\n", format.Options{}, "columns", "no column is said to hold a price or a quantity"},
		{"table", "a,b\n1,2\n", format.Options{Columns: map[string]string{"c": "card"}}, "columns",
			`no column "c"; it has a, b`},
		{"table", "a,b\n1,2\n", format.Options{Columns: map[string]string{"a": "card", "b": "speed"}}, "columns",
			`b: "speed" is no field`},
		{"table", "a,b\n1,2\n", format.Options{Columns: map[string]string{"a": "card", "b": "tdp_w*-1"}}, "columns",
			"want a number, greater than 0"},
		{"table", "a,b\n1,2\n", format.Options{Columns: map[string]string{"a": "card", "b": "amount*2"}}, "columns",
			"takes no factor"},
		{"table", "a,b\n1,2\n", format.Options{Columns: map[string]string{"a": "card", "b": "card"}}, "columns",
			"two columns are said to hold card"},
	} {
		_, err := scripted(t, tt.format, "x", tt.text, tt.opt)
		var fe *format.FileError
		if !errors.As(err, &fe) || fe.Field != tt.field || !strings.Contains(fe.Msg, tt.msg) {
			t.Errorf("%s %q: got %v, want %s: %s", tt.format, tt.text, err, tt.field, tt.msg)
		}
	}
}

func TestFormatsExplainThemselves(t *testing.T) {
	seen := map[string]bool{}
	for _, f := range format.Formats() {
		if seen[f.ID] || f.Title.En == "" || f.Title.Zh == "" || f.About.En == "" || f.About.Zh == "" ||
			f.Holds == "" ||
			f.Detect == nil ||
			f.Read == nil {
			t.Errorf("%s is there twice, or lacks something", f.ID)
		}
		seen[f.ID] = true
		if found, ok := format.Lookup(f.ID); !ok || found != f {
			t.Errorf("%s is not found", f.ID)
		}
	}
	for _, f := range format.Fields() {
		if f.ID == "" || f.Label.En == "" || f.Label.Zh == "" || f.About.En == "" || f.About.Zh == "" {
			t.Errorf("field %+v lacks something", f)
		}
	}
	var err error = format.Undetected(format.Head{Name: "x.csv", Delimiter: ',', Columns: []string{"a", "b"}})
	if !strings.Contains(err.Error(), "known are ") || !strings.Contains(err.Error(), "skypilot") ||
		!strings.Contains(err.Error(), "columns a, b, which table reads") {
		t.Errorf("got %v, want all formats and the generic table", err)
	}
}

func TestArchivesOfOneFileAreRead(t *testing.T) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for name, text := range map[string]string{"nebius/": "",
		"nebius/vms.csv":            "AcceleratorName,AcceleratorCount,Price\r\nA100,1,2\r\n",
		"__MACOSX/nebius/._vms.csv": "\x00\x05\x16\x07"} {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		w.Write([]byte(text))
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	s, err := scripted(t, "skypilot", "nebius.zip", b.String(), on)
	if err != nil || len(s.lines) != 1 || s.lines[0] != "2 A100 [] 0: accelerator 2 USD ×1 hour @Nebius " {
		t.Errorf("got %v %v, want one price", s, err)
	}
}

// TestAColumnMayNameItsCurrency: what the reader was told counts more, and what stands in
// the cell most.
func TestAColumnMayNameItsCurrency(t *testing.T) {
	const text = "显卡,价格（元）,日期\nRTX 4090,12999,2026-11-01\nRTX 3090,$800,2026-11-01\n"
	for currency, want := range map[string][]string{"": {"12999 CNY", "800 USD"}, "EUR": {"12999 EUR", "800 USD"}} {
		s, err := scripted(t, "table", "x.csv", text, format.Options{Kind: catalog.StreetPrice, Currency: currency})
		if err != nil {
			t.Fatal(err)
		}
		for i, line := range s.lines {
			if !strings.Contains(line, want[i]) {
				t.Errorf("%q: got %s, want %s", currency, line, want[i])
			}
		}
	}
}
