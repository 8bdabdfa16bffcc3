package reasoning

import "strings"

// names are people.
func names() []string {
	return strings.Fields("Ada Ben Clara Dora Emil Fritz Greta Hugo Ines Jonas Karin Liam Mira Nadia Oscar Petra " +
		"Rosa Stefan Tessa Umar Vera Walter Yara Zoe")
}

// things can be counted.
func things() []string {
	return strings.Fields("apples books candles coins cups eggs flowers keys lamps marbles nails pears plates shells " +
		"stamps stones")
}

// category is a class of words.
type category struct {
	name  string
	words []string
}

func categories() []category {
	return []category{
		{"animal", strings.Fields("bear cat cow dog duck fox goat hen horse lion mouse sheep tiger wolf")},
		{"plant", strings.Fields("birch clover daisy fern grass ivy lily moss oak palm pine rose tulip willow")},
		{"tool", strings.Fields("axe drill file fork hammer knife ladder pen rake saw spade spoon tongs wrench")},
		{"food", strings.Fields("bread butter cake cheese ham honey jam milk pasta pizza rice soup sugar yogurt")},
	}
}
