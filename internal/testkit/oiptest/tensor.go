package oiptest

import (
	"fmt"
	"strconv"
	"strings"
)

// ParseTensor reads NAME=DATATYPE[N,...], such as input_tensor:0=FP32[-1,3,224,224].
func ParseTensor(text string) (Tensor, error) {
	bad := fmt.Errorf("tensor %q, want NAME=DATATYPE[N,...], such as x=FP32[-1,3,224,224]", text)
	name, rest, ok1 := strings.Cut(text, "=")
	datatype, list, ok2 := strings.Cut(rest, "[")
	list, closed := strings.CutSuffix(list, "]")
	if !ok1 || !ok2 || !closed || name == "" {
		return Tensor{}, bad
	}
	t := Tensor{Name: name, Datatype: datatype}
	for _, part := range strings.Split(list, ",") {
		n, err := strconv.ParseInt(part, 10, 64)
		if err != nil || n < -1 || n == 0 {
			return Tensor{}, bad
		}
		t.Shape = append(t.Shape, n)
	}
	return t, nil
}
