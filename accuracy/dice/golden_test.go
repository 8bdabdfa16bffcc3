package dice

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/golden"
)

// expected contains the arguments and the result of the official script.
type expected struct {
	Args struct {
		DType string `json:"output_dtype"`
	}
	CSV    string `json:"summary_csv"`
	Rows   map[string]struct{ Kidney, Tumor, Composite float64 }
	Stdout string
}

func TestGoldenKiTS19(t *testing.T) { golden.Each(t, "scorers/kits19/*/expected.json", checkCase) }

func checkCase(t *testing.T, path string) {
	var want expected
	golden.ReadJSON(t, path, &want)
	dir := filepath.Dir(path)
	dtype, err := DTypes().Parse(want.Args.DType)
	if err != nil {
		t.Fatal(err)
	}
	s, err := New(readCases(t, filepath.Join(dir, "preprocessed_data")), PayloadOptions{dtype})
	if err != nil {
		t.Fatal(err)
	}
	golden.AddLog(t, dir, s.Add)
	got, err := s.Result()
	if err != nil {
		t.Fatal(err)
	}
	if got.CSV() != want.CSV {
		t.Errorf("table\n%swant\n%s", got.CSV(), want.CSV)
	}
	if got.String() != want.Stdout {
		t.Errorf("printed %v, want %s", got, want.Stdout)
	}
	for _, c := range append(got.Cases, CaseScore{"mean", got.Mean}) {
		if w := want.Rows[c.Name]; c.Kidney != w.Kidney || c.Tumour != w.Tumor || c.Composite != w.Composite {
			t.Errorf("%s: %+v, want %+v", c.Name, c.VolumeScore, w)
		}
	}
}

func readCases(t *testing.T, dir string) []Case {
	t.Helper()
	var index struct {
		Names []string `json:"file_list"`
		Cases map[string]struct {
			Shape [4]int `json:"image_shape"`
		}
	}
	golden.ReadJSON(t, filepath.Join(dir, "preprocessed_files.json"), &index)
	var cases []Case
	for _, name := range index.Names {
		shape := index.Cases[name].Shape
		cases = append(cases, Case{name, [3]int(shape[1:]), func() ([]uint8, error) {
			return readLabels(filepath.Join(dir, name+"_gt.npy"), [3]int(shape[1:]))
		}})
	}
	return cases
}

// readLabels reads a NumPy file of version 1 with uint8 elements in C order.
func readLabels(path string, shape [3]int) ([]uint8, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	header := data[10 : 10+binary.LittleEndian.Uint16(data[8:])]
	want := fmt.Sprintf("'shape': (%d, %d, %d)", shape[0], shape[1], shape[2])
	if !bytes.Contains(header, []byte(want)) || !bytes.Contains(header, []byte("'|u1', 'fortran_order': False")) {
		return nil, fmt.Errorf("%s: header %s, want uint8 and %s", path, header, want)
	}
	return data[10+len(header):], nil
}
