package questions

import (
	"fmt"
	"slices"
	"strings"

	"github.com/plumbline-ml/plumbline/internal/draw"
)

// kind is what a value is: its type of answer.
type kind int

const (
	person kind = iota
	town
	firm
	river
	year
	date
	count    // 3 to 899
	thousand // 1,000 to 99,000
	job
	animal
	title
	skill
	product
	building
)

// drawValue returns a random value of the kind.
func (k kind) drawValue(r *draw.Random) string {
	switch k {
	case person:
		return drawOne(r, firstNames(r.Chance(50))) + " " + drawSurname(r)
	case town:
		return drawStem(r) + drawOne(r, strings.Fields("burg ton ville stad mouth by haven minster kirk ow"))
	case firm:
		return drawSurname(r) + " " + drawOne(r, []string{"Mills", "Brothers", "Works", "Press", "and Sons", "Glass",
			"Foundry"})
	case river:
		return drawOne(r,
			strings.Fields("Alm Bode Cray Dorn Eske Fulda Garn Helm Isen Jagst Kinz Lenne Mose Nive Orla Pruth Rosl Sarn Tave "+
				"Usk Vils Wern"))
	case year:
		return fmt.Sprint(r.IntBetween(1702, 1998))
	case date:
		return fmt.Sprintf("%d %s %d", r.IntBetween(1, 28), drawOne(r, months()), r.IntBetween(1702, 1998))
	case count:
		return fmt.Sprint(r.IntBetween(3, 899))
	case thousand:
		return fmt.Sprintf("%d,%03d", r.IntBetween(1, 99), 100*r.IntBetween(0, 9))
	default:
		return drawOne(r, k.list())
	}
}

func months() []string {
	return strings.Fields("January February March April May June July August September October November December")
}

// list returns the values of a kind with few values.
func (k kind) list() []string {
	switch k {
	case job:
		return []string{
			"baker", "miller", "teacher", "sailor", "doctor", "printer", "gardener", "painter", "judge", "carpenter",
			"ship builder", "clock maker", "salt merchant", "horn player", "bridge engineer", "school inspector",
			"land surveyor", "glass blower",
		}
	case animal:
		return strings.Fields("sheep horses goats cows geese hens dogs bees pigs doves donkeys oxen")
	case title:
		return []string{
			"The Silent Orchard", "A Winter Tale", "The Lost Lantern", "Songs of the Harbour", "The Glass River", "Letters Home",
			"The Old Ferry", "Seven Bridges", "A House of Salt", "The Crooked Mile", "Under the Lime Trees", "The Last Candle",
			"Notes on Rain", "The Tin Soldier", "Two Summers", "The Blue Door", "Night Train North", "The Wooden Crown",
		}
	case skill:
		return []string{
			"Latin", "chess", "fencing", "algebra", "singing", "sailing", "Greek", "drawing", "botany", "the violin",
			"the flute", "book binding", "stone carving", "map making",
		}
	case product:
		return []string{
			"cheese", "glass", "paper", "soap", "silk", "rope", "beer", "clocks", "pianos", "candles", "wool blankets",
			"copper kettles", "leather gloves", "oak barrels", "fishing boats", "steel pens",
		}
	default:
		return []string{
			"town hall", "stone bridge", "cathedral", "lighthouse", "city library", "north gate", "fish market",
			"railway station", "museum", "concert hall", "corn mill", "planetarium",
		}
	}
}

func drawOne(r *draw.Random, list []string) string { return list[r.IntBelow(len(list))] }

func firstNames(women bool) []string {
	if women {
		return strings.Fields("Anna Berta Clara Dora Edith Flora Greta Hanna Irma Julia Karin Lena Marta Nora Olga Paula " +
			"Renée Sofia Thea Vera")
	}
	return strings.Fields("Adam Boris Carl David Emil Franz Georg Hugo Ivan Jakob Karl Leon Martin Nils Oskar Peter " +
		"Robert Stefan Tomás Viktor")
}

// isWoman reports whether a person's first name is a woman's.
func isWoman(name string) bool {
	first, _, _ := strings.Cut(name, " ")
	return slices.Contains(firstNames(true), first)
}

func drawSurname(r *draw.Random) string {
	return drawStem(r) + drawOne(r, strings.Fields("man son berg feld stein wick mann field quist ski ova ler"))
}

// drawStem draws the first part of the names of towns and families.
func drawStem(r *draw.Random) string {
	return drawOne(r,
		strings.Fields("Ald Bram Corn Dren Ell Farn Gold Hart Ing Jarl Kest Lind Mar Nord Ost Pem Quar Rosen Sand Thorn Ulm "+
			"Vest Wald Yar Zell Söder Ash Black Crom Dun"))
}
