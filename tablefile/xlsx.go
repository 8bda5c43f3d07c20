package tablefile

import (
	"archive/zip"
	"bytes"
	"encoding/xml"
	"fmt"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Parts of a workbook (ECMA-376) that are always the same.
const (
	contentTypes = xml.Header + `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types">` +
		`<Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/>` +
		`<Default Extension="xml" ContentType="application/xml"/>` +
		`<Override PartName="/xl/workbook.xml" ` +
		`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sheet.main+xml"/>` +
		`<Override PartName="/xl/worksheets/sheet1.xml" ` +
		`ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.worksheet+xml"/></Types>`
	rootRels = xml.Header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" ` +
		`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" ` +
		`Target="xl/workbook.xml"/></Relationships>`
	bookRels = xml.Header + `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` +
		`<Relationship Id="rId1" ` +
		`Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/worksheet" ` +
		`Target="worksheets/sheet1.xml"/></Relationships>`
	workbook = xml.Header + `<workbook xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" ` +
		`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships">` +
		`<sheets><sheet name="%s" sheetId="1" r:id="rId1"/></sheets></workbook>`
	sheetStart = xml.Header + `<worksheet xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main">` +
		`<sheetViews><sheetView workbookViewId="0"><pane ySplit="1" topLeftCell="A2" activePane="bottomLeft" ` +
		`state="frozen"/></sheetView></sheetViews><sheetData>`
	sheetEnd = `</sheetData></worksheet>`
)

// mostCell is the longest text that a cell of a spreadsheet holds.
const mostCell = 32767

// XLSX writes a workbook with one sheet, the names of the columns in its first row. Cells are numbers, truth values or
// text, never formulas. Equal tables give equal bytes.
func (t *Table) XLSX(sheet string) []byte {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, part := range []struct{ name, text string }{{"[Content_Types].xml", contentTypes}, {"_rels/.rels", rootRels},
		{"xl/workbook.xml", fmt.Sprintf(workbook, escaped(sheetName(sheet)))}, {"xl/_rels/workbook.xml.rels", bookRels},
		{"xl/worksheets/sheet1.xml", t.sheet()}} {
		w, err := z.CreateHeader(&zip.FileHeader{Name: part.name, Method: zip.Deflate,
			Modified: time.Date(1980, 1, 1, 0, 0, 0, 0, time.UTC)})
		if err == nil {
			_, err = w.Write([]byte(part.text))
		}
		if err != nil {
			panic("tablefile: " + err.Error()) // a bytes.Buffer does not fail
		}
	}
	if err := z.Close(); err != nil {
		panic("tablefile: " + err.Error())
	}
	return b.Bytes()
}

func (t *Table) sheet() string {
	kinds := t.kinds()
	var b strings.Builder
	b.WriteString(sheetStart)
	row := func(n int, cells []string, kinds []kind) {
		fmt.Fprintf(&b, `<row r="%d">`, n)
		for i, cell := range cells {
			at := columnName(i) + strconv.Itoa(n)
			switch {
			case cell == "":
			case kinds == nil || kinds[i] == text:
				if utf8.RuneCountInString(cell) > mostCell {
					cell = string([]rune(cell)[:mostCell])
				}
				fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t xml:space="preserve">%s</t></is></c>`,
					at, escaped(cell))
			case kinds[i] == truth:
				fmt.Fprintf(&b, `<c r="%s" t="b"><v>%d</v></c>`, at, map[string]int{"true": 1}[cell])
			default:
				fmt.Fprintf(&b, `<c r="%s"><v>%s</v></c>`, at, cell)
			}
		}
		b.WriteString("</row>")
	}
	row(1, t.Columns, nil)
	for i, cells := range t.Rows {
		row(i+2, cells, kinds)
	}
	b.WriteString(sheetEnd)
	return b.String()
}

// columnName is that of a column by its place: A, …, Z, AA.
func columnName(i int) string {
	name := ""
	for i++; i > 0; i = (i - 1) / 26 {
		name = string(rune('A'+(i-1)%26)) + name
	}
	return name
}

// sheetName is a name that a sheet may have.
func sheetName(name string) string {
	const most = 31
	name = strings.Map(func(r rune) rune {
		if strings.ContainsRune(`[]:*?/\'`, r) {
			return '-'
		}
		return r
	}, name)
	if r := []rune(name); len(r) > most {
		name = string(r[:most])
	}
	if name == "" {
		return "table"
	}
	return name
}

func escaped(s string) string {
	var b bytes.Buffer
	if err := xml.EscapeText(&b, []byte(s)); err != nil {
		panic("tablefile: " + err.Error())
	}
	return b.String()
}
