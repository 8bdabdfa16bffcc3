package streaming

import (
	"encoding/binary"
	"errors"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/internal/half"
	"github.com/plumbline-ml/plumbline/internal/npy"
)

// tableFile writes rows 0.5, 1.5, ... of two values each.
func tableFile(t *testing.T, dtype string, rows int, cut int) string {
	t.Helper()
	data := npy.AppendHeader(nil, dtype, rows, 2)
	for i := range 2 * rows {
		v := float32(i) + 0.5
		if dtype == "<f2" {
			data = binary.LittleEndian.AppendUint16(data, half.ToFloat16(float64(v)))
		} else {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(v))
		}
	}
	path := filepath.Join(t.TempDir(), "items.npy")
	if err := os.WriteFile(path, data[:len(data)-cut], 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func TestTable(t *testing.T) {
	for _, dtype := range []string{"<f2", "<f4"} {
		table, err := OpenTable(tableFile(t, dtype, 5, 0))
		if err != nil {
			t.Fatal(err)
		}
		got := make([]float32, 4)
		if err := table.GatherRows(got, 4, 1); err != nil || !slices.Equal(got, []float32{8.5, 9.5, 2.5, 3.5}) ||
			table.Rows != 5 || table.Width != 2 {
			t.Errorf("%s: %v, %v of %d x %d", dtype, got, err, table.Rows, table.Width)
		}
		err = table.GatherRows(got, 1, 5)
		if !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), "row 5, want 0 to 4") {
			t.Errorf("%v", err)
		}
		if err := table.Close(); err != nil {
			t.Error(err)
		}
	}
}

func TestFaultsOfTables(t *testing.T) {
	for want, path := range map[string]string{
		"is it complete?":     tableFile(t, "<f4", 5, 1),
		"want [rows width]":   tableFile(t, "<f8", 5, 0),
		"no such file":        filepath.Join(t.TempDir(), "none.npy"),
		"NumPy file: it ends": tableFile(t, "<f4", 1, 100),
	} {
		if _, err := OpenTable(path); !errors.Is(err, ErrDataset) || !strings.Contains(err.Error(), want) {
			t.Errorf("%v, want %q", err, want)
		}
	}
}
