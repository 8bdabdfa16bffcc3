package retinanet

import (
	"testing"

	"github.com/plumbline-ml/plumbline/internal/testkit/detectiontest"
	"github.com/plumbline-ml/plumbline/sdk/manifest/manifesttest"
)

func TestCard(t *testing.T) {
	card := manifesttest.ReadCard[detectiontest.Card](t)
	detectiontest.CheckCard(t, card)
	manifesttest.CheckReadme(t, card.Card, detectiontest.Figures)
}
