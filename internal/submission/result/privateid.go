package result

import (
	"crypto/sha256"
	"encoding/hex"
	"strings"
)

// The words of private ids in byte order.
var (
	adjectives = strings.Fields(`amber azure bold brave calm clear cool crisp dark deep deft epic fair fast firm flat
		free full gold gray hard high keen kind lean light long loud mild mint neat noble open pale pure quick quiet
		rare rich safe sage slim slow soft star still stone sure swift teal trim true vast warm wide wise wood worn
		young zeal zinc zest blue core`)
	nouns = strings.Fields(`apex arch atom bay beam blade bloom bolt bridge brook bud cap cedar cloud coral core crest
		dawn delta dome dune echo edge elm ember fern field flame flare fleet flow foam ford forge frost gate glade
		glow grove helm hill horn iris isle jade lake lark leaf ledge lens lime lynx mast mesa mill moon moor moss
		nook opal peak pine reef vale`)
)

// PrivateID returns the name of a system before results are public: two words and four digits from the SHA-256 sum of
// its name.
func PrivateID(system string) string {
	sum := sha256.Sum256([]byte(system))
	adjective := adjectives[int(sum[0])%len(adjectives)]
	noun := nouns[int(sum[1])%len(nouns)]
	return adjective + "-" + noun + "-" + hex.EncodeToString(sum[2:4])
}
