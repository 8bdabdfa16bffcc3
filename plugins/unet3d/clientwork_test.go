package unet3d

import "testing"

func TestClientWorkOfWindows(t *testing.T) {
	if work := new(workload).ClientWork(nil, nil, 1); len(work) != 2 {
		t.Errorf("%q, want that volumes are cut and scores are blended", work)
	}
}
