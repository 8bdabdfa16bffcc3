package pickle

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
)

func read(t testing.TB, name string) []byte {
	t.Helper()
	data, err := os.ReadFile(filepath.Join("testdata", name))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// TestCaseOfEachProtocol reads what Python 3.11 and NumPy 2.4 wrote of a case: a list of an image and its labels.
func TestCaseOfEachProtocol(t *testing.T) {
	for protocol := 2; protocol <= 5; protocol++ {
		t.Run(fmt.Sprint(protocol), func(t *testing.T) {
			v, err := NumPy().Load(read(t, fmt.Sprintf("case_protocol%d.pkl", protocol)))
			if err != nil {
				t.Fatal(err)
			}
			items := v.(*List).Items
			image, labels := items[0].(*NumpyArray), items[1].(*NumpyArray)
			if image.DType != "<f4" || labels.DType != "|u1" || !slices.Equal(image.Shape, []int{1, 2, 3, 4}) || image.Fortran {
				t.Fatalf("image %+v, labels %+v", image, labels)
			}
			for i := range 24 {
				if f := math.Float32frombits(binary.LittleEndian.Uint32(image.Data[4*i:])); f != float32(i)/2 ||
					labels.Data[i] != byte(i%3) {
					t.Fatalf("voxel %d: %v, %d", i, f, labels.Data[i])
				}
			}
		})
	}
}

func TestPlainData(t *testing.T) {
	for _, protocol := range []int{2, 5} {
		v, err := NumPy().Load(read(t, fmt.Sprintf("plain_protocol%d.pkl", protocol)))
		if err != nil {
			t.Fatal(err)
		}
		half := binary.LittleEndian.AppendUint64(nil, math.Float64bits(2.5))
		want := Dict{"a": nil, "b": &List{
			[]any{true, false, int64(-1), int64(70000), int64(255), int64(1 << 40), int64(-1 << 40)},
		},
			"c": Tuple{int64(1), int64(2)}, "d": Tuple{}, "e": 1.5, "f": "ü", "g": []byte{0, 255},
			"h": &NumpyArray{DType: "<f8", Data: half},
			"i": Tuple{int64(1), int64(2), int64(3), int64(4)},
			"j": &NumpyArray{">i2", []int{2, 3}, true, []byte{0, 0, 0, 3, 0, 1, 0, 4, 0, 2, 0, 5}}}
		for key, w := range want {
			if got := v.(Dict)[key]; !reflect.DeepEqual(got, w) {
				t.Errorf("protocol %d: %s is %#v, want %#v", protocol, key, got, w)
			}
		}
	}
}

// TestIndexOfReference reads the index that the reference's preprocessing wrote.
func TestIndexOfReference(t *testing.T) {
	v, err := NumPy().Load(read(t, "preprocessed_files.pkl"))
	if err != nil {
		t.Fatal(err)
	}
	index := v.(Dict)
	if names := index["file_list"].(*List).Items; !reflect.DeepEqual(names,
		[]any{"case_00034", "case_00071", "case_00322"}) {
		t.Errorf("file_list %v", names)
	}
	one := index["cases"].(Dict)["case_00322"].(Dict)
	if shape := one["image_shape"]; !reflect.DeepEqual(shape, Tuple{int64(1), int64(19), int64(21), int64(23)}) {
		t.Errorf("image_shape %v", shape)
	}
	if affine := one["reshaped_affine"].(*NumpyArray); affine.DType != "<f8" || len(affine.Data) != 128 {
		t.Errorf("affine %+v", affine)
	}
}

// TestFormsOfDataSets reads what Python 3.11 and NumPy 2.4 wrote of an NewOrderedDict with arrays of str and numbers,
// and with scalars: forms that preprocessed cases and indices of frames have.
func TestFormsOfDataSets(t *testing.T) {
	for protocol := 2; protocol <= 5; protocol++ {
		v, err := NumPy().Load(read(t, fmt.Sprintf("forms_protocol%d.pkl", protocol)))
		if err != nil {
			t.Fatalf("protocol %d: %v", protocol, err)
		}
		d := v.(Dict)
		for key, want := range map[string][]string{"names": {"Car", "Pedestrian", "ü"}, "none": nil} {
			if got, err := AsStrings(d[key]); err != nil || !slices.Equal(got, want) {
				t.Errorf("protocol %d: %s is %q, %v", protocol, key, got, err)
			}
		}
		for key, want := range map[string][]int64{"box": {3, 17, 5, 22}, "shape": {20, 26, 22}, "sizes": {14, 17, 14},
			"big": {1, -2}, "flags": {1, 0}} {
			if got, err := AsInts(d[key]); err != nil || !slices.Equal(got, want) {
				t.Errorf("protocol %d: %s is %v, %v", protocol, key, got, err)
			}
		}
	}
}

func TestValuesOfAnotherKindAreRefused(t *testing.T) {
	itself := &List{}
	for range 1000 {
		itself.Items = append(itself.Items, itself)
	}
	for _, c := range []struct {
		v    any
		want string
	}{
		{nil, "a <nil> among values"}, {"x", "a string among values, want a int64"}, {1.5, "a float64 among values"},
		{itself, "more than 8 deep"},
		{&NumpyArray{DType: "<f4", Data: make([]byte, 4)}, "want whole numbers"},
		{&NumpyArray{DType: "|O8", Data: make([]byte, 8)}, "want whole numbers"},
		{&NumpyArray{DType: "<i4", Shape: []int{2}, Data: make([]byte, 4)}, "want 8 in C order"},
		{&NumpyArray{DType: "<i4", Shape: []int{1 << 40, 1 << 40}, Data: make([]byte, 4)}, "with 4 bytes"},
		{&NumpyArray{DType: "<u8", Data: []byte{0, 0, 0, 0, 0, 0, 0, 255}}, "want at most"},
	} {
		if got, err := AsInts(c.v); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), c.want) {
			t.Errorf("%v, %v; want %q", got, err, c.want)
		}
	}
	empty := &List{}
	for range 3 {
		next := &List{}
		for range 1000 {
			next.Items = append(next.Items, empty)
		}
		empty = next
	}
	if _, err := AsInts(empty); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "more than 1048576 values") {
		t.Errorf("lists of lists of nothing: %v", err)
	}
	surrogate := &NumpyArray{DType: "<U1", Data: []byte{0, 0xd8, 0, 0}}
	if _, err := AsStrings(surrogate); !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), "want a character") {
		t.Errorf("half of a character: %v", err)
	}
	if _, err := (ObjectReader{MaxObjects: 3}).Load([]byte("\x80\x04NNNN.")); err == nil ||
		!strings.Contains(err.Error(), "more than 3 objects") {
		t.Errorf("four objects: %v", err)
	}
}

func TestRefuses(t *testing.T) {
	whole := read(t, "case_protocol4.pkl")
	tests := []struct{ name, data, want string }{
		{"a program", "\x80\x04\x8c\x02os\x8c\x06system\x93\x8c\x02ls\x85R.", `it names "os.system", which is no plain data`},
		{"a program of protocol 0", "cos\nsystem\n(U\x02lstR.", `names "os.system"`},
		{"a function", "cos\nsystem\n.", `names "os.system"`},
		{"empty", "", "truncated"},
		{"truncated", string(whole[:100]), "truncated"},
		{"too long a string", "\x8d\xff\xff\xff\xff\xff\xff\xff\xff.", "truncated"},
		{"no object", "\x80\x04.", "stack"},
		{"unknown operation", "\x80\x04i", "operation 0x69"},
		{"a set", "\x80\x04\x8f.", "operation 0x8f"},
		{"no such object", "\x80\x04h\x07.", "object 7 of the memo"},
		{"odd dict", "}(K\x01u.", "want pairs"},
		{"key of a dict", "}(K\x01K\x01u.", "a key of type int64"},
		{"items for a number", "K\x01(K\x01e.", "items for a int64"},
		{"long int", "\x8a\x09123456789.", "int of 9 bytes"},
		{"state of a list", "](K\x01tb.", "state pickle.Tuple for a *pickle.List"},
		{"an OrderedDict of a list", "ccollections\nOrderedDict\n]\x85R.", "of 1 arguments, want none"},
		{"bytes of a number", "c__builtin__\nbytes\nK\x01\x85R.", "of 1 arguments, want none"},
		{"call of a number", "K\x01)R.", "a call of a int64"},
		{"no line", "cos", "truncated"},
		{
			"negative shape", "cnumpy.core.multiarray\n_reconstruct\n)R(K\x01(J\xff\xff\xff\xffK\x01tcnumpy\ndtype\n" +
				"X\x02\x00\x00\x00f4\x85R\x89C\x00tb.", "a shape with -1",
		},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			v, err := NumPy().Load([]byte(tt.data))
			if !errors.Is(err, ErrFormat) || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("%v, %v; want %q", v, err, tt.want)
			}
		})
	}
}

// FuzzLoad checks that no pickle crashes the reader, and that what it gives is data.
func FuzzLoad(f *testing.F) {
	for _, name := range []string{"case_protocol2.pkl", "case_protocol4.pkl", "case_protocol5.pkl", "plain_protocol2.pkl",
		"forms_protocol2.pkl", "forms_protocol5.pkl", "preprocessed_files.pkl"} {
		f.Add(read(f, name))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		v, err := NumPy().Load(data)
		if err != nil {
			if !errors.Is(err, ErrFormat) || v != nil {
				t.Fatalf("%v, %v", v, err)
			}
			return
		}
		for _, values := range []func(any) error{
			func(v any) error { _, err := AsInts(v); return err },
			func(v any) error { _, err := AsStrings(v); return err },
			func(v any) error { _, err := AsFloats(v); return err },
			func(any) error {
				r := NumPy()
				r.Each = func(int, any) error { return nil }
				_, err := r.Load(data)
				return err
			},
		} {
			if err := values(v); err != nil && !errors.Is(err, ErrFormat) {
				t.Fatal(err)
			}
		}
		switch v.(type) {
		case nil, bool, int64, float64, string, []byte, *List, Tuple, Dict, *NumpyArray:
		default:
			t.Errorf("%T", v)
		}
	})
}
