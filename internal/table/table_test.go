package table

import (
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	tab := Table{Indent: "  ", Right: []int{1}, Width: 50}
	tab.Row("min_duration", 600000, "ms", "a long remark that is broken into several lines of text")
	tab.Row("seed", "7")
	tab.Row("größe", 12, "", "x")
	tab.Row()
	var b strings.Builder
	n, err := tab.WriteTo(&b)
	want := "  min_duration  600000  ms  a long remark that is broken into\n" +
		"                            several lines of text\n" +
		"  seed               7\n" +
		"  größe             12      x\n" +
		"\n"
	if b.String() != want || err != nil || n != int64(len(want)) {
		t.Errorf("n = %d, err = %v, got:\n%s\nwant:\n%s", n, err, b.String(), want)
	}
}

func TestEmptyTable(t *testing.T) {
	var tab Table
	var b strings.Builder
	if _, err := tab.WriteTo(&b); err != nil || b.String() != "" || tab.Len() != 0 {
		t.Errorf("an empty table writes %q, %v", b.String(), err)
	}
}
