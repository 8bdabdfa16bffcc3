package retinanet

import (
	"testing"

	"github.com/plumbline-ml/plumbline/plugins/internal/detection/detectiontest"
)

func TestCard(t *testing.T) { detectiontest.CheckCard(t) }
