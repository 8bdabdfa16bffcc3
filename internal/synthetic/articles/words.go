package articles

import (
	"slices"
	"strconv"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// The words for the blanks of all stories. Some contain letters beyond ASCII, to reveal faults of tokenizers.
const (
	firstNames = "Ada Bruno Clara Dmitri Elsa Farid Greta Hugo Inês Jonas Karin Liam Mira Nadia Oscar Petra Quentin " +
		"Rosa Stefan Tessa Umar Vera Walter Zoë"
	lastNames = "Abbott Bauer Castro Dietz Ellison Farrow Gomez Holm Ivanov Jansen Keller Lindgren Moreau Novak Okafor " +
		"Petit Quist Rossi Santos Tanaka Ueda Vance Weiss Yilmaz Zeller Björk Carver Dubois Hansen Müller"
	placeNames = "Ashford Brenholm Caldera Dunmore Eastwick Falkirk Glenby Harwell Inverley Jarrow Kelso Langley " +
		"Marbeck Norwich Oakham Pembroke Queensferry Redcar Selby Thornbury Ulverton Västerby Whitby Yarmouth Zürs Corfe " +
		"Dalby Elstow Penrith Rothwell"
	dayNames = "Monday Tuesday Wednesday Thursday Friday Saturday Sunday"
)

// blankValues contains the values of the blanks of one article, by their names in braces.
type blankValues map[string]string

// drawBlanks fills the blanks. The values of the event and those of other sentences differ, so a summary that confuses
// them is wrong.
func drawBlanks(things []string, r *draw.Random) blankValues {
	first, last := twoWords(firstNames, r), twoWords(lastNames, r)
	places, days := twoWords(placeNames, r), twoWords(dayNames, r)
	numbers := distinctNumbers(r, 4)
	return blankValues{
		"who": first[0] + " " + last[0], "last": last[0], "other": first[1] + " " + last[1],
		"where": places[0], "town": places[1],
		"day": days[0], "when": days[1],
		"n": numbers[0], "m": numbers[1], "k": numbers[2], "j": numbers[3],
		"thing": things[r.IntBelow(len(things))],
	}
}

// twoWords returns two different words of a list.
func twoWords(list string, r *draw.Random) [2]string {
	words := strings.Fields(list)
	i, j := r.IntBelow(len(words)), r.IntBelow(len(words)-1)
	if j >= i {
		j++
	}
	return [2]string{words[i], words[j]}
}

// distinctNumbers returns n different numbers: 12 to 98, or a multiple of 50 up to 950.
func distinctNumbers(r *draw.Random, n int) []string {
	var all []string
	for len(all) < n {
		v := r.IntBetween(12, 98)
		if r.Chance(25) {
			v = 50 * r.IntBetween(2, 19)
		}
		if text := strconv.Itoa(v); !slices.Contains(all, text) {
			all = append(all, text)
		}
	}
	return all
}

// fill replaces the names in braces by their values.
func (b blankValues) fill(template string) string {
	var out strings.Builder
	for {
		before, rest, found := strings.Cut(template, "{")
		out.WriteString(before)
		if !found {
			return out.String()
		}
		name, after, _ := strings.Cut(rest, "}")
		out.WriteString(b[name])
		template = after
	}
}
