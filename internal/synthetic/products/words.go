package products

import (
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

var (
	onsets = []string{"b", "br", "c", "d", "dr", "f", "g", "h", "j", "k", "l", "m", "n", "p", "r", "s", "st", "t", "v",
		"z"}
	vowels  = []string{"a", "e", "i", "o", "u", "ae", "io", "ea"}
	codas   = []string{"", "", "", "n", "r", "l", "x", "s", "th", "nd"}
	seconds = []string{"Works", "& Sons", "Labs", "Bros", "House"}
	words   = []string{"classic", "modern", "large", "small", "deluxe", "new", "blue", "red", "green", "black", "white",
		"light", "strong", "soft", "simple", "premium", "everyday", "outdoor", "compact", "family", "gift", "edition",
		"set", "original", "limited", "summer", "winter", "city", "travel", "kids"}
	marks     = []string{"used", "pre-owned", "second-hand", "worn", "refurbished"}
	sentences = []string{"Ships within two days.", "Rated well by customers.", "Made with care.",
		"Read the leaflet before use.", "Keep away from fire.", "Price includes tax.", "Returns are free for a month.",
		"One piece in a box.", "<p>See the table below.</p>", "var stock = 12;"}
)

func pick(r *draw.Random, from []string) string { return from[r.IntBelow(len(from))] }

// drawBrand draws a name of two or three syllables, sometimes with a second word.
func drawBrand(r *draw.Random) string {
	name := brandWord(r)
	if r.Chance(15) {
		name += " " + pick(r, seconds)
	}
	return name
}

// brandWord draws a made-up word.
func brandWord(r *draw.Random) string {
	name := ""
	for range r.IntBetween(2, 3) {
		name += pick(r, onsets) + pick(r, vowels) + pick(r, codas)
	}
	return capital(name)
}

func capital(word string) string { return strings.ToUpper(word[:1]) + word[1:] }

// drawTitle writes a title with the brand among other words.
func drawTitle(r *draw.Random, brand string, secondHand bool) string {
	capitals := r.Chance(50)
	word := func() string {
		w := pick(r, words)
		switch {
		case r.Chance(15): // a name of the product
			w = brandWord(r)
		case capitals:
			w = capital(w)
		}
		return w
	}
	code := string(rune('A'+r.IntBelow(26))) + string(rune('0'+r.IntBelow(10))) + string(rune('0'+r.IntBelow(10)))
	var text string
	switch r.IntBelow(6) {
	case 0:
		text = brand + " " + word() + " " + code
	case 1:
		text = word() + " " + word() + " by " + brand
	case 2:
		text = word() + " - " + brand + " - " + code
	case 3:
		text = brand + ": " + word() + ", " + word()
	case 4:
		text = word() + " " + code + " from " + brand
	default:
		text = word() + " " + brand + " " + word()
	}
	if secondHand {
		text = addSecondHandWord(r, text)
	}
	return text
}

// addSecondHandWord adds a word for second-hand to a title, sometimes with two letters exchanged.
func addSecondHandWord(r *draw.Random, text string) string {
	mark := []byte(pick(r, marks))
	if r.Chance(15) {
		at := r.IntBelow(len(mark) - 1)
		mark[at], mark[at+1] = mark[at+1], mark[at]
	}
	if r.Chance(50) {
		return text + ", " + string(mark)
	}
	return capital(string(mark)) + " " + text
}

func drawDescription(r *draw.Random) string {
	chosen := make([]string, r.IntBetween(1, 4))
	for i := range chosen {
		chosen[i] = pick(r, sentences)
	}
	return strings.Join(chosen, " ")
}
