package criteo

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"

	"github.com/plumbline-ml/plumbline/datasets/internal/fault"
)

// ReadTextLabels reads the labels of the published file day_23. Its lines contain 40 fields with tabs between them. The
// first field is the label, 0 or 1. It reads only the first maxLines lines, or all if maxLines is 0. The error lists
// every fault and wraps ErrDataset.
func ReadTextLabels(r io.Reader, maxLines int) ([]uint8, error) {
	lines := bufio.NewReaderSize(r, 1<<16)
	var labels []uint8
	var faults fault.FaultList
	for n := 1; maxLines == 0 || n <= maxLines; n++ {
		line, err := readLine(lines)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return nil, fmt.Errorf("%w: labels: line %d: %w", ErrDataset, n, err)
		}
		field, _, _ := bytes.Cut(bytes.TrimRight(line, "\r\n"), []byte("\t"))
		if len(field) != 1 || (field[0] != '0' && field[0] != '1') {
			faults.Addf(fmt.Sprintf("line %d", n), "label %.20q, want 0 or 1", field)
			continue
		}
		labels = append(labels, field[0]-'0')
	}
	if len(labels) == 0 && faults.Len() == 0 {
		faults.Addf("", "it has no line, want a label at the beginning of each")
	}
	return labels, faults.Err(ErrDataset, "labels")
}

// readLine returns the next line, or io.EOF after the last one. The next call overwrites the result. Of a line that
// exceeds the reader's buffer, it returns the beginning and skips the rest.
func readLine(r *bufio.Reader) ([]byte, error) {
	line, err := r.ReadSlice('\n')
	if errors.Is(err, bufio.ErrBufferFull) {
		line = bytes.Clone(line)
		for errors.Is(err, bufio.ErrBufferFull) {
			_, err = r.ReadSlice('\n')
		}
	}
	if err == io.EOF && len(line) > 0 {
		err = nil
	}
	return line, err
}
