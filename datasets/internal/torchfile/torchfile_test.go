package torchfile

import (
	"archive/zip"
	"encoding/binary"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// described is the pickle of a tensor of the shape (1, 2, 3), as torch.save writes it.
func described(storage string) string {
	return "\x80\x02ctorch._utils\n_rebuild_tensor_v2\nq\x00((X\x07\x00\x00\x00storageq\x01ctorch\n" + storage +
		"\nq\x02X\x01\x00\x00\x000q\x03X\x03\x00\x00\x00cpuq\x04K\x06tq\x05QK\x00K\x01K\x02K\x03\x87q\x06" +
		"K\x06K\x03K\x01\x87q\x07\x89ccollections\nOrderedDict\nq\x08)Rq\x09tq\x0aRq\x0b."
}

// write makes a file of torch.save with members of a folder.
func write(t testing.TB, members map[string]string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "latents.pt")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	z := zip.NewWriter(f)
	for name, text := range members {
		w, err := z.CreateHeader(&zip.FileHeader{Name: "latents/" + name, Method: zip.Store})
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestRead(t *testing.T) {
	data := binary.LittleEndian.AppendUint64(nil, 7)
	data = append(data, make([]byte, 16)...)
	path := write(t, map[string]string{
		"data.pkl": described("FloatStorage"), "byteorder": "little", "data/0": string(data),
	})
	got, err := ReadTensor(path, Float, 6)
	if err != nil || !slices.Equal(got.Shape, []int64{1, 2, 3}) || !slices.Equal(got.Data, data) {
		t.Errorf("%+v, %v", got, err)
	}
}

func TestReadRefuses(t *testing.T) {
	good := described("FloatStorage")
	tests := map[string]struct{ pickle, order, data, want string }{
		"other elements": {described("LongStorage"), "", "", "not those of torch.FloatStorage"},
		"other storages": {described("HalfStorage"), "", "", `names "torch.HalfStorage"`},
		"a call":         {"cos\nsystem\n(X\x02\x00\x00\x00lstR.", "", "", `names "os.system"`},
		"a call within":  {strings.Replace(good, "ccollections\nOrderedDict", "cbuiltins\neval", 1), "", "", "builtins.eval"},
		"a build":        {strings.Replace(good, "Rq\x0b.", "Rq\x0bb.", 1), "", "", "too little on the stack"},
		"an object":      {"\x80\x02cos\nsystem\n)\x81.", "", "", "os.system"},
		"a stack global": {"\x80\x04\x8c\x02os\x8c\x06system\x93.", "", "", `names "os.system"`},
		"an extension":   {"\x80\x02\x82\x01.", "", "", "operation 0x82"},
		"a view":         {strings.Replace(good, "QK\x00", "QK\x01", 1), "", "", "from element 1 of 6"},
		"transposed":     {strings.Replace(good, "K\x06K\x03K\x01\x87", "K\x06K\x01K\x02\x87", 1), "", "", "strides [6 1 2]"},
		"no tensor":      {"\x80\x02K\x01.", "", "", "describes no tensor"},
		"no pickle":      {"", "", "", "truncated"},
		"big endian":     {good, "big", "", `byte order "big"`},
		"too short":      {good, "little", "abc", "3 bytes for 6 numbers of 4"},
		"too many":       {good, "little", strings.Repeat("x", 25), "want at most 24"},
	}
	for name, tt := range tests {
		path := write(t, map[string]string{"data.pkl": tt.pickle, "byteorder": tt.order, "data/0": tt.data})
		if tt.order == "" {
			path = write(t, map[string]string{"data.pkl": tt.pickle, "data/0": tt.data})
		}
		if _, err := ReadTensor(path, Float, 6); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %q", name, err, tt.want)
		}
	}
	for want, path := range map[string]string{
		"no such file": filepath.Join(t.TempDir(), "x"), "holds no data.pkl": write(t, nil),
		"holds no data/0": write(t, map[string]string{"data.pkl": good}),
	} {
		if _, err := ReadTensor(path, Float, 6); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// FuzzDescribe holds: whatever a pickle says, it describes a tensor with elements, or is an error.
func FuzzDescribe(f *testing.F) {
	f.Add([]byte(described("FloatStorage")))
	f.Add([]byte("\x80\x02(K\x01\x8a\x02\x01\x02tq\x00h\x00j\x00\x00\x00\x00\x87."))
	f.Fuzz(func(t *testing.T, data []byte) {
		shape, key, err := readDescription(data, Float)
		if err == nil && elementCount(shape) < 0 {
			t.Errorf("%v numbers in %q", shape, key)
		}
	})
}
