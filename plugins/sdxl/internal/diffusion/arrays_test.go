package diffusion

import (
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"testing"
)

// elements are the bytes of an array of NumPy's behind its header.
func elements(t *testing.T, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data[10+int(binary.LittleEndian.Uint16(data[8:])):]
}

// readArray reads an array of float32 of four axes.
func readArray(t *testing.T, path string) (values []float32, shape []int) {
	t.Helper()
	data := elements(t, path)
	values = make([]float32, len(data)/4)
	if _, err := binary.Decode(data, binary.LittleEndian, values); err != nil {
		t.Fatal(err)
	}
	header, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	_, text, _ := strings.Cut(string(header), "'shape': (")
	shape = make([]int, 4)
	if _, err := fmt.Sscanf(text, "%d, %d, %d, %d", &shape[0], &shape[1], &shape[2], &shape[3]); err != nil {
		t.Fatal(err)
	}
	return values, shape
}
