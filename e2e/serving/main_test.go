package serving

import (
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/built"
)

func TestMain(m *testing.M) { built.Main(m) }
