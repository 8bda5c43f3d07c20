package format

import (
	"fmt"
	"math"
	"math/big"
	"strings"
	"testing"

	"tianti/catalog"
)

func TestNumbers(t *testing.T) {
	const bad = "error"
	for _, tt := range []struct{ cell, decimal, want string }{
		{"1234.5", "", "1234.5"}, {"0", "", "0"}, {"-3", "", "-3"}, {"+3.5", "", "3.5"}, {"−3", "", "-3"},
		{"6.71e+14", "", "6.71e+14"}, {"5E-3", "", "0.005"},
		{"1,234.5", "", "1234.5"}, {"1.234,5", "", "1234.5"}, {"1,234,567", "", "1.234567e+06"},
		{"1.234.567", "", "1.234567e+06"}, {"1 234,5", "", "1234.5"}, {"1'234.5", "", "1234.5"},
		{"1\u00a0234\u202f567", "", "1.234567e+06"},
		{"1,5", "", "1.5"}, {"0,125", "", "0.125"}, {"1234,567", "", "1234.567"}, {",5", "", "0.5"}, {".5", "", "0.5"},
		{"5.", "", "5"},
		{"1,234", "", bad}, {"1,234", ".", "1234"}, {"1,234", ",", "1.234"}, {"1.234", "", "1.234"},
		{"1.234", ",", "1234"}, {"1.5", ",", bad}, {"1,5", ".", bad},
		{"", "", ""}, {"—", "", ""}, {"-", "", ""}, {"N/A", "", ""}, {"n/a", "", ""}, {"null", "", ""},
		{"[N/A]", "", ""},
		{"inf", "", bad}, {"NaN", "", bad}, {"-Infinity", "", bad}, {"1e999", "", bad}, {"0x1p4", "", bad},
		{"1_000", "", bad}, {"12,34,567", "", bad}, {"1,23.4,5", "", bad}, {"1.2.3", "", bad}, {"--3", "", bad},
		{"abc", "", bad}, {"=1+1", "", bad}, {"@3", "", bad}, {"1e", "", bad}, {",", "", bad}, {".", "", bad},
		{"1e5e5", "", bad},
	} {
		f := &File{Options: Options{Decimal: tt.decimal}}
		v, ok, err := f.Number(tt.cell)
		got := ""
		if err != nil {
			got = bad
		} else if ok {
			got = fmt.Sprint(v)
		}
		if got != tt.want {
			t.Errorf("%q with %q: got %q (%v), want %q", tt.cell, tt.decimal, got, err, tt.want)
		}
	}
}

func TestMoney(t *testing.T) {
	for _, tt := range []struct{ cell, currency, decimal, want string }{
		{"$2,300.00", "", "", "2300 USD"}, {"US$1.5", "", "", "1.5 USD"}, {"$2.50", "CAD", "", "2.5 CAD"},
		{"$2", "EUR", "", "2 USD"}, {"1.234,56 €", "", "", "1234.56 EUR"}, {"€ 3", "", "", "3 EUR"},
		{"£3", "", "", "3 GBP"},
		{"¥18000", "CNY", "", "18000 CNY"}, {"￥100", "JPY", "", "100 JPY"},
		{"¥18000", "", "", `"¥18000" may be of CNY or JPY; say which currency the file's amounts are in`},
		{"8000元", "", "", "8000 CNY"},
		{"2300 USD", "", "", "2300 USD"}, {"CNY 2300", "USD", "", "2300 CNY"},
		{"2300", "", "", `"2300" bears no currency; say which one the file's amounts are in`},
		{"$2,300", "", "", `"2,300" may be 2300 or 2.300; say which sign separates decimals`},
		{"$2,300", "", ".", "2300 USD"}, {"2,5", "USD", ",", "2.5 USD"},
		{"0.09920000000000001", "USD", "", "0.0992 USD"}, {"2.9391065", "USD", "", "2.939106 USD"},
		{"2.9391075", "USD", "", "2.939108 USD"}, {"2.93910650001", "USD", "", "2.939107 USD"},
		{"0", "USD", "", "0 USD"}, {"1000000000", "USD", "", "1000000000 USD"},
		{"1000000001", "USD", "", `"1000000001" is out of range: want at most 1000000000`},
		{"-5", "USD", "", `"-5" is not an amount: want digits such as 1234.5, without sign, at most 1000000000`},
		{"99999999999999999999", "USD", "",
			`"99999999999999999999" is not an amount: want digits such as 1234.5, without sign, at most 1000000000`},
		{"", "USD", "", ""}, {"N/A", "USD", "", ""},
		{"inf", "USD", "", `"inf" is not a number: want digits such as 1234.5`},
		{"call us", "USD", "", `"call us" is not a number: want digits such as 1234.5`},
	} {
		f := &File{Options: Options{Decimal: tt.decimal}}
		m, ok, err := f.Money(tt.cell, tt.currency)
		got := ""
		if err != nil {
			got = err.Error()
		} else if ok {
			got = m.String()
		}
		if got != tt.want {
			t.Errorf("%q in %q: got %q, want %q", tt.cell, tt.currency, got, tt.want)
		}
	}
}

func TestDates(t *testing.T) {
	for _, tt := range []struct{ cell, order, want string }{
		{"2024-03-22", "", "2024-03-22"}, {"2024-03", "", "2024-03"}, {"2024", "", "2024"},
		{"2025-12-05 21:21:23+00:00", "", "2025-12-05"}, {"2025-12-05T21:21:23Z", "", "2025-12-05"},
		{"Mar 2024", "", "2024-03"}, {"March 2024", "", "2024-03"}, {"22 Mar 2024", "", "2024-03-22"},
		{"Sept 5, 2024", "", "2024-09-05"}, {"2024年3月22日", "", "2024-03-22"}, {"2024年3月", "", "2024-03"},
		{"2024/3/22", "", "2024-03-22"}, {"2024/03/22 13:37:00.123", "", "2024-03-22"},
		{"22/03/2024", "", "2024-03-22"}, {"03/22/2024", "", "2024-03-22"}, {"22.3.2024", "", "2024-03-22"},
		{"05/05/2024", "", "2024-05-05"},
		{"03/04/2024", "", "error"}, {"03/04/2024", "dmy", "2024-04-03"}, {"03/04/2024", "mdy", "2024-03-04"},
		{"13/13/2024", "", "error"}, {"31/02/2024", "", "error"}, {"2024-02-30", "", "error"},
		{"", "", ""}, {"N/A", "", ""}, {"soon", "", "error"}, {"3/4/24", "", "error"}, {"1/2", "", "error"},
		{"2024//03", "", "error"}, {"0001-01-01", "", "error"}, {"2024-03-22 x", "", "error"},
	} {
		f := &File{Options: Options{DayOrder: tt.order}}
		d, ok, err := f.Date(tt.cell)
		got := string(d)
		if err != nil {
			got = "error"
		}
		if got != tt.want || ok != (err == nil && tt.want != "") {
			t.Errorf("%q as %q: got %q %v (%v), want %q", tt.cell, tt.order, got, ok, err, tt.want)
		}
	}
}

// FuzzCells: no cell panics, numbers are finite, amounts are exact, dates exist.
func FuzzCells(f *testing.F) {
	for _, s := range []string{"1,234.5", "$2,300", "¥3", "2024-03-22", "03/04/2024", "1e400", "—", "0.0000005",
		"12.3456789"} {
		f.Add(s, ".", "dmy")
		f.Add(s, "", "")
	}
	f.Fuzz(func(t *testing.T, cell, decimal, order string) {
		file := &File{Options: Options{Decimal: decimal, DayOrder: order}}
		if v, ok, err := file.Number(cell); ok && (err != nil || math.IsNaN(v) || math.IsInf(v, 0)) {
			t.Errorf("%q: number %v %v", cell, v, err)
		}
		if m, ok, err := file.Money(cell, "USD"); ok &&
			(err != nil || m.Micros < 0 || !catalog.KnownCurrency(m.Currency)) {
			t.Errorf("%q: money %v %v", cell, m, err)
		}
		if micros, ok := microsOf(cell); ok && len(cell) < 30 {
			exact, valid := new(big.Rat).SetString(strings.TrimSuffix("0"+cell, "."))
			if !valid {
				t.Fatalf("%q: %d is no number", cell, micros)
			}
			apart := new(big.Rat).Sub(exact.Mul(exact, big.NewRat(1_000_000, 1)), new(big.Rat).SetInt64(micros))
			if apart.Abs(apart).Cmp(big.NewRat(1, 2)) > 0 {
				t.Errorf("%q: %d millionths", cell, micros)
			}
		}
		if d, ok, _ := file.Date(cell); ok {
			if _, err := catalog.ParseDate(string(d)); err != nil {
				t.Errorf("%q: %v", cell, err)
			}
		}
	})
}

func TestPythonLiterals(t *testing.T) {
	for text, want := range map[string]string{
		`{'Gpus': [{'Name': 'V100', 'Count': 8.0, 'x': None, 'y': True}], 'T': (1, 2,)}`: "map[Gpus:[map[Count:8 " +
			"Name:V100 x:<nil> y:true]] T:[1 2]]",
		`{"Gpus": [{"Name": "it's", "Count": 1e3, "x": null, "y": false}]}`: "map[Gpus:[map[Count:1000 Name:it's " +
			"x:<nil> y:false]]]",
		`'a\'b\\c\n'`:                   "a'b\\c\n",
		`__import__('os').system('id')`: `error "__import__('os'" is no value at character 1`,
		`{'a': 1`:                       "error want a comma or } at character 8",
		`{1: 2}`:                        "error want a name and a colon at character 3",
		`[1] 2`:                         "error something follows the value at character 5",
		strings.Repeat("[", 1_000_000):  "error more than 16 levels deep",
		``:                              "error the value ends in the middle",
		`nan`:                           `error "nan" is no value at character 1`,
		`1e999`:                         `error "1e999" is no number at character 1`,
	} {
		v, err := pyLiteral(text)
		got := fmt.Sprint(v)
		if err != nil {
			got = "error " + err.Error()
		}
		if got != want {
			t.Errorf("%.40q: got %q, want %q", text, got, want)
		}
	}
}

func TestWhatSaysThatNothingIsKnown(t *testing.T) {
	for _, cell := range []string{"", "-", "--", "–", "—", "N/A", "n/a", "NA", "n.a.", "null", "NULL", "None", "nil",
		"Unknown", "TBD", "?", "[N/A]", "[Not Supported]", "#N/A", "无", "未知"} {
		if !Absent(cell) {
			t.Errorf("%q is taken for a value", cell)
		}
	}
	for _, cell := range []string{"0", "no", "nano", "T4", "Titan V", "-1", "无敌", "unknown card", "NaN", "inf", "[1]"} {
		if Absent(cell) {
			t.Errorf("%q is taken for nothing", cell)
		}
	}
}
