package sdk

import (
	"strings"
	"testing"
)

func TestExhibitCheck(t *testing.T) {
	for name, e := range map[string]Exhibit{
		"nothing": {Caption: "x"}, "no PNG": {PNG: []byte("GIF89a")}, "long": {Text: strings.Repeat("x", 40_001)},
		"large": {PNG: []byte(pngHead + strings.Repeat("x", 40_000))},
	} {
		if e.Check() == nil {
			t.Errorf("%s is taken", name)
		}
	}
	for _, e := range []Exhibit{{Text: "x"}, {PNG: []byte(pngHead)}} {
		if err := e.Check(); err != nil {
			t.Error(err)
		}
	}
}
