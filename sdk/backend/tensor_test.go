package backend_test

import (
	"errors"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/backend"
)

func TestDTypesHaveNamesAndSizes(t *testing.T) {
	for d := backend.Float32; d <= backend.Bool; d++ {
		if d.Size() == 0 || strings.Contains(d.String(), "DType") {
			t.Errorf("%v: size %d", d, d.Size())
		}
	}
	if backend.DType(200).Size() != 0 || backend.DType(200).String() != "DType(200)" {
		t.Error("an unknown dtype has a size or a name")
	}
}

func TestViewsShareMemory(t *testing.T) {
	values := []float32{1, 2, 3}
	data := backend.Bytes(values)
	if len(data) != 12 {
		t.Fatalf("%d bytes", len(data))
	}
	backend.View[float32](data)[1] = 7
	if values[1] != 7 {
		t.Error("the view is a copy")
	}
	if backend.View[int64](nil) != nil || backend.Bytes[uint8](nil) != nil {
		t.Error("nothing is not nothing")
	}
	defer func() {
		if recover() == nil {
			t.Error("half an element is no fault")
		}
	}()
	backend.View[float64](data)
}

func TestElements(t *testing.T) {
	for _, c := range []struct {
		shape []int64
		want  int64
	}{
		{nil, 1},
		{[]int64{2, 3, 4}, 24},
		{[]int64{1 << 62}, 1 << 62},
		{[]int64{1 << 32, 1 << 32}, math.MaxInt64},
		{[]int64{1 << 32, 1 << 32, 0}, 0},
		{[]int64{3, math.MaxInt64}, math.MaxInt64},
	} {
		if n := backend.Elements(c.shape); n != c.want {
			t.Errorf("%v: %d elements, want %d", c.shape, n, c.want)
		}
	}
}

func TestReleaseFreesOnce(t *testing.T) {
	n := 0
	x := backend.Tensor{Data: []byte{1}, Free: func() { n++ }}
	x.Release()
	x.Release()
	if n != 1 || x.Data != nil {
		t.Errorf("freed %d times, data %v", n, x.Data)
	}
}

func TestBind(t *testing.T) {
	have := []backend.TensorInfo{
		{Name: "images", DType: backend.Float32, Shape: []int64{-1, 3, 224, 224}},
		{Name: "ids", DType: backend.Int64, Shape: []int64{-1}},
	}
	for _, c := range []struct {
		name  string
		want  []backend.TensorInfo
		index []int
		parts []string // none: no error
	}{
		{"all", nil, []int{0, 1}, nil},
		{"by name", []backend.TensorInfo{{Name: "ids"}, {Name: "images", DType: backend.Float32,
			Shape: []int64{8, 3, 224, -1}}}, []int{1, 0}, nil},
		{"by position", []backend.TensorInfo{{}, {DType: backend.Int64}}, []int{0, 1}, nil},
		{"one of two", []backend.TensorInfo{{Name: "ids"}}, []int{1}, nil},
		{"alias", []backend.TensorInfo{{Name: "pictures", Aliases: []string{"photos", "images"}}}, []int{0}, nil},
		{"missing with aliases", []backend.TensorInfo{{Name: "labels", Aliases: []string{"classes"}}}, nil,
			[]string{`input "labels" or "classes" is missing`}},
		{"missing", []backend.TensorInfo{{Name: "labels"}, {}, {}}, nil,
			[]string{`input "labels" is missing`, `input "" is missing`, "images float32[N,3,224,224], ids int64[N]"}},
		{"all faults", []backend.TensorInfo{{Name: "images", DType: backend.Uint8}, {Name: "ids", Shape: []int64{-1, 1}}},
			nil, []string{
				`input "images" is float32, want uint8`, `input "ids" has shape [N], want [N,1]`,
			}},
		{"size", []backend.TensorInfo{{Name: "images", Shape: []int64{-1, 3, 299, 299}}}, nil,
			[]string{"want [N,3,299,299]"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			index, err := backend.Bind("input", c.want, have)
			if !slices.Equal(index, c.index) || (err == nil) != (c.parts == nil) || err != nil &&
				!errors.Is(err, backend.ErrTensors) {
				t.Fatalf("%v, error %v, want %v", index, err, c.index)
			}
			for _, part := range c.parts {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("%q does not contain %q", err, part)
				}
			}
		})
	}
}
