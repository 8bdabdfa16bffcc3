package speech

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// words are the words of the sentences.
var words = strings.Fields(`
	the of and to in he was that his it had with as her for you not at but is on be she which have him all they by
	this from were one said so would there what when we or no me their if an who will are them then more been up my
	into out now some could time very do about before little did upon any than other man see where down two long
	great like our over after old hand here himself come never only made such well still eyes house night again day
	came thought way much own back head good should life young first most heart face door light world white people
	father water thing place room mother found under through without always earth king voice nothing don't it's i'll
	can't`)

// drawSentence draws two to five words.
func drawSentence(r *draw.Random) string {
	chosen := make([]string, r.IntBetween(2, 5))
	for i := range chosen {
		chosen[i] = words[r.IntBelow(len(words))]
	}
	return strings.Join(chosen, " ")
}
