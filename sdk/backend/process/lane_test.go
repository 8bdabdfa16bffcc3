package process

import (
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/sdk/internal/backendpb"
)

func TestWhereOutputsMayLie(t *testing.T) {
	l := &clientLane{mapped: &sharedRegion{data: make([]byte, 512)}}
	l.request.OutputOffset = 128
	for _, c := range []struct {
		name   string
		tensor *backendpb.Tensor
		want   string // of the error; empty: none
	}{
		{"in the message", &backendpb.Tensor{Data: make([]byte, 8)}, ""},
		{"where outputs begin", &backendpb.Tensor{Offset: 128, Size: 8}, ""},
		{"at the end", &backendpb.Tensor{Offset: 448, Size: 64}, ""},
		{"in the place of an input", &backendpb.Tensor{Offset: 64, Size: 8},
			"at byte 64 of the region, want a multiple of 64 from output_offset, 128, on"},
		{"nowhere said", &backendpb.Tensor{Size: 8}, "at byte 0 of the region"},
		{"between two places", &backendpb.Tensor{Offset: 136, Size: 8}, "at byte 136 of the region"},
		{"beyond the end", &backendpb.Tensor{Offset: 448, Size: 65}, "bytes 448 to 513 of a region of 512"},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, err := l.tensorData(c.tensor)
			if (err == nil) != (c.want == "") || err != nil && !strings.Contains(err.Error(), c.want) {
				t.Errorf("error %v, want %q", err, c.want)
			}
		})
	}
}
