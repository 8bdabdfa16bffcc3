package oiptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

func TestParseTensor(t *testing.T) {
	got, err := ParseTensor("input_tensor:0=FP32[-1,3,224,224]")
	if err != nil || got.Name != "input_tensor:0" || got.Datatype != "FP32" ||
		!slices.Equal(got.Shape, []int64{-1, 3, 224, 224}) {
		t.Errorf("%+v, %v", got, err)
	}
	for _, text := range []string{"", "x", "x=FP32", "x=FP32[", "x=FP32[]", "=FP32[1]", "x=FP32[0]", "x=FP32[-2]",
		"x=FP32[1]y", "x=FP32[1,]"} {
		if _, err := ParseTensor(text); err == nil {
			t.Errorf("%q was taken", text)
		}
	}
}

func TestNewRefusesOutputsOfNoSize(t *testing.T) {
	for _, o := range []Tensor{{"y", "BYTES", []int64{-1}}, {"y", "FP32", nil}, {"y", "FP32", []int64{-1, -1}}} {
		if _, err := New(ServerOptions{Outputs: []Tensor{o}}); err == nil || !strings.Contains(err.Error(), `"y"`) {
			t.Errorf("%v: %v", o, err)
		}
	}
}

func FuzzParseTensor(f *testing.F) {
	f.Add("input_tensor:0=FP32[-1,3,224,224]")
	f.Add("x=INT64[]")
	f.Fuzz(func(t *testing.T, text string) {
		parsed, err := ParseTensor(text)
		if err != nil {
			return
		}
		shape := strings.ReplaceAll(strings.Trim(fmt.Sprint(parsed.Shape), "[]"), " ", ",")
		again, err := ParseTensor(fmt.Sprintf("%s=%s[%s]", parsed.Name, parsed.Datatype, shape))
		if err != nil || again.Name != parsed.Name || again.Datatype != parsed.Datatype ||
			!slices.Equal(again.Shape, parsed.Shape) {
			t.Errorf("%q: %+v, again %+v, %v", text, parsed, again, err)
		}
	})
}
