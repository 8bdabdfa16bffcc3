package encyclopedia

import (
	"fmt"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// kind is the kind of a page's subject or of a value.
type kind int

const (
	person kind = iota
	town
	feast
	woman // a person without a page
	man   // a person without a page, of the subject's family if the relation is the father
	year
	word // a word from the relation's list
)

// namer draws distinct names.
type namer struct {
	random *draw.Random
	used   map[string]bool
}

// drawNew draws names until one is new.
func (n *namer) drawNew(name func() string) string {
	for {
		if s := name(); !n.used[s] {
			n.used[s] = true
			return s
		}
	}
}

func (n *namer) town() string {
	return n.drawNew(func() string { return drawOne(n.random, stems) + drawOne(n.random, townEnds) })
}

func (n *namer) feast() string {
	return n.drawNew(func() string { return drawOne(n.random, feastWords) + " " + drawOne(n.random, feastKinds) })
}

// person draws a person of a family, or of any family if family is empty.
func (n *namer) person(first []string, family string) string {
	return n.drawNew(func() string {
		if family == "" {
			return drawOne(n.random, first) + " " + drawOne(n.random, stems) + drawOne(n.random, familyEnds)
		}
		return drawOne(n.random, first) + " " + family
	})
}

func (n *namer) year() string { return fmt.Sprint(n.random.IntBetween(1702, 1968)) }

func drawOne(r *draw.Random, list []string) string { return list[r.IntBelow(len(list))] }

var (
	women = strings.Fields("Anna Berta Clara Dora Edith Flora Greta Hanna Irma Julia Karin Lena Marta Nora Olga Paula " +
		"Renée Sofia Thea Vera Wilma Agnes Judith Helga")
	men = strings.Fields("Adam Boris Carl David Emil Franz Georg Hugo Ivan Jakob Kurt Leon Martin Nils Oskar Peter " +
		"Robert Stefan Tomás Viktor Walter Anton Rasmus Felix")
	everybody = append(append([]string(nil), women...), men...)
	stems     = strings.Fields("Ald Bram Corn Dren Ell Farn Gold Hart Ing Jarl Kest Lind Mar Nord Ost Pem Quar Rosen " +
		"Sand Thorn Ulm Vest Wald Yar Zell Ash Black Crom Dun Egg Fen Grun Hol Isen Kalt Lor Mill Neu Oken Plan Rab " +
		"Sal Tann Und Vor Wen Birk Hag Lam Stor")
	townEnds   = strings.Fields("burg ton ville stad mouth by haven minster kirk ow dorf field bridge ford wick ham")
	familyEnds = strings.Fields("man son berg feld stein mann quist ski ova ler hardt gren lund ing ius ek")
	feastWords = strings.Fields("Lantern Silver Apple Candle Harvest Kite Copper Barrel Pepper Ribbon Linen Snow " +
		"Feather Honey Mirror Paper Rope Salt Timber Velvet Walnut Window Shadow Cherry Drum Mask Pebble Saddle Torch Wagon")
	feastKinds = strings.Fields("Fair Regatta Parade Contest Festival Market Ball Race")
	jobs       = strings.Split("baker,miller,teacher,sailor,doctor,printer,gardener,painter,judge,carpenter,ship builder,"+
		"clock maker,salt merchant,bridge engineer,school inspector,land surveyor,glass blower,saddler,chemist,"+
		"librarian", ",")
	animals = strings.Split("twelve geese,nine goats,seven horses,forty sheep,six donkeys,thirty hens,eight oxen,"+
		"eleven dogs,five cats,twenty doves,two bears,sixteen ducks", ",")
	instruments = strings.Fields("violin flute harp trumpet cello oboe zither lute organ bassoon tuba fiddle")
	books       = strings.Split("Songs of the Harbour,The Glass River,Letters Home,The Old Ferry,Seven Bridges,"+
		"A House of Salt,The Crooked Mile,Under the Lime Trees,The Last Candle,Notes on Rain,Two Summers,The Blue Door,"+
		"Night Train North,The Wooden Crown,The Silent Orchard,A Winter Tale", ",")
	rivers = strings.Fields("Alm Bode Cray Dorn Eske Fulda Garn Helm Jagst Kinz Lenne Mose Nive Orla Pruth Rosl Sarn " +
		"Tave Usk Vils Wern")
	products = strings.Split("cheese,glass,paper,soap,silk,rope,beer,clocks,pianos,candles,wool blankets,"+
		"copper kettles,leather gloves,oak barrels,fishing boats,steel pens", ",")
	buildings = strings.Split("town hall,stone bridge,cathedral,lighthouse,city library,north gate,fish market,"+
		"railway station,museum,concert hall,corn mill,planetarium", ",")
	prizes = strings.Split("a silver spoon,a barrel of cider,a pair of boots,a golden whistle,a wheel of cheese,"+
		"a painted plate,a wool cloak,a crown of leaves,a brass compass,a basket of plums", ",")
	months = strings.Fields("January February March April May June July August September October November December")
)

// openings are sentences that introduce the subject of a page, $s.
var openings = map[kind][]string{
	person: {"$s belongs to the people of whom the records speak.", "$s is remembered in several letters.",
		"$s was well known in those years."},
	town: {"$s is a town of the low country.", "$s is an old town with narrow streets.",
		"$s is a small town with a market place."},
	feast: {"$s is a feast of the low country.", "$s is an old custom.", "$s draws guests from near and far."},
}

// fillers are sentences without information.
var fillers = []string{
	"Little else is known of those years.", "The winter was long and the roads were bad.",
	"Some letters of the time were lost in a fire.", "Historians do not agree on every point.",
	"A small plaque tells the story today.", "The newspapers wrote about it for weeks.",
	"Much has changed since then.", "Not all of the records have survived.",
}

// chronicle contains the sentences of chronicles; $y is a year.
var chronicle = []string{
	"In $y a storm took the roof of the school.", "The summer of $y was the driest in memory.",
	"In $y the mail coach came twice a week.", "A comet was seen over the hills in $y.",
	"In $y the price of bread was doubled.", "The first snow of $y fell early.",
	"In $y a bell was cast for the chapel.", "The harvest of $y was poor.",
}
