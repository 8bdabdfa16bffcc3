package tabular

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// maxTextBytes limits the size of the file of a distribution, which has about 100 bytes.
const maxTextBytes = 1 << 20

// ReadQuantiles reads a distribution from the first line of a file, as the reference does. The line consists of whole
// numbers separated by commas. The error lists every fault.
func ReadQuantiles(r io.Reader) (Quantiles, error) {
	line, err := bufio.NewReaderSize(io.LimitReader(r, maxTextBytes), 1<<12).ReadString('\n')
	if err != nil && !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %w", ErrGrouping, err)
	}
	var q Quantiles
	var faults []error
	for i, text := range strings.Split(strings.TrimSpace(line), ",") {
		n, err := strconv.Atoi(strings.TrimSpace(text))
		if err != nil {
			faults = append(faults, fmt.Errorf("%w: number %d is %.20q, want a whole number", ErrGrouping, i, text))
			continue
		}
		q = append(q, n)
	}
	if err := errors.Join(faults...); err != nil {
		return nil, err
	}
	if err := q.Check(); err != nil {
		return nil, err
	}
	return q, nil
}
