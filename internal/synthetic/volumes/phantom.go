package volumes

import "github.com/plumbline-ml/plumbline/internal/draw"

// phantom collects the bodies of a phantom, outside to inside.
type phantom struct {
	r      *draw.Random
	extent point
	bodies []*body
}

// newScan draws the size of a phantom, about half that of an adult's upper abdomen, and the parameters of its scan.
func newScan(r *draw.Random) *scan {
	inPlane := mm * r.IntBetween(75, 125) / 100
	s := &scan{
		spacing: point{mm * r.IntBetween(180, 380) / 100, inPlane, inPlane},
		noise:   r.IntBetween(10, 30), edge: mm * r.IntBetween(80, 150) / 100, air: -1000, random: r,
	}
	size := point{mm * r.IntBetween(76, 98), mm * r.IntBetween(72, 92), mm * r.IntBetween(86, 108)}
	for k := range s.shape {
		s.shape[k] = size[k] / s.spacing[k]
	}
	return s
}

// drawPhantom builds and scans a phantom.
func drawPhantom(r *draw.Random) *Volume {
	s := newScan(r)
	p := &phantom{r: r, extent: s.extent()}
	p.addTrunk()
	p.addOrgans()
	p.addSpine()
	p.addKidneys()
	s.bodies = p.bodies
	s.rough = newTexture(r, 7*mm, p.extent, s.spacing[2])
	s.grain = newTexture(r, 4*mm, p.extent, s.spacing[2])
	return s.sample()
}

// placeAt returns the point at percentages of the extent, moved at random by up to spread millimetres in each
// direction.
func (p *phantom) placeAt(z, y, x, spread int) point {
	at := point{p.extent[0] * z / 100, p.extent[1] * y / 100, p.extent[2] * x / 100}
	return at.add(point{p.r.IntBetween(-spread, spread) * mm, p.r.IntBetween(-spread, spread) * mm,
		p.r.IntBetween(-spread, spread) * mm})
}

// drawMillimetres draws a length of lo to hi millimetres.
func (p *phantom) drawMillimetres(lo, hi int) int { return p.r.IntBetween(lo*mm, hi*mm) }

// drawAngle draws an angle of up to share percent of a turn in either direction.
func (p *phantom) drawAngle(share int) int {
	return p.r.IntBetween(-draw.Turn*share/100, draw.Turn*share/100)
}

// addBody adds a body that covers earlier ones.
func (p *phantom) addBody(b body) *body {
	p.bodies = append(p.bodies, &b)
	return &b
}

// addTrunk adds skin, fat, and the muscle within.
func (p *phantom) addTrunk() {
	tall := 4 * p.extent[0]
	middle := point{p.extent[0] / 2, p.extent[1] / 2, p.extent[2] / 2}
	wide, deep := p.extent[2]*p.r.IntBetween(50, 62)/100, p.extent[1]*p.r.IntBetween(50, 62)/100
	p.addBody(body{at: middle, axes: rotatedAxes(p.drawAngle(2), 0), radius: point{tall, deep, wide},
		tissue: tissue{hu: p.r.IntBetween(-115, -85), grain: 15}})
	rim := p.drawMillimetres(4, 10)
	p.addBody(body{at: middle, axes: rotatedAxes(p.drawAngle(2), 0), radius: point{tall, deep - rim, wide - rim},
		rough:  120,
		tissue: tissue{hu: p.r.IntBetween(40, 65), grain: 20}})
	p.addBody(body{at: middle, axes: rotatedAxes(p.drawAngle(2), 0), radius: point{tall, deep - 2*rim, wide - 2*rim},
		rough:  200,
		tissue: tissue{hu: p.r.IntBetween(-110, -80), grain: 20}})
}

// addOrgans adds organs that resemble the kidneys or their tumours.
func (p *phantom) addOrgans() {
	liver := tissue{hu: p.r.IntBetween(75, 140), grain: 12}
	p.addBody(body{at: p.placeAt(18, 38, 24, 6), axes: rotatedAxes(p.drawAngle(10), p.drawAngle(8)),
		radius: point{p.drawMillimetres(18, 26), p.drawMillimetres(16, 22), p.drawMillimetres(14, 20)}, rough: 150,
		tissue: liver})
	spleen := tissue{hu: p.r.IntBetween(90, 160), grain: 12}
	p.addBody(body{at: p.placeAt(15, 45, 80, 5), axes: rotatedAxes(p.drawAngle(10), p.drawAngle(8)),
		radius: point{p.drawMillimetres(12, 18), p.drawMillimetres(8, 12), p.drawMillimetres(7, 11)}, bend: 300, rough: 120,
		tissue: spleen})
	for range p.r.IntBetween(4, 8) { // loops of the bowel
		loop := tissue{hu: p.r.IntBetween(20, 120), grain: 25}
		at := p.placeAt(p.r.IntBetween(20, 95), p.r.IntBetween(12, 50), p.r.IntBetween(20, 80), 3)
		b := p.addBody(body{
			at: at, axes: rotatedAxes(p.drawAngle(50), p.drawAngle(25)), radius: point{p.drawMillimetres(6, 14),
				p.drawMillimetres(4, 8), p.drawMillimetres(4, 8)},
			bend: p.r.IntBetween(-400, 400), rough: 150, tissue: loop,
		})
		if p.r.Chance(40) {
			p.addBody(body{
				at: at, axes: b.axes, radius: point{b.radius[0] / 2, b.radius[1] / 2, b.radius[2] / 2}, tissue: tissue{hu: -800},
			})
		}
	}
}

// addSpine adds the backbone and the muscles and vessels along it.
func (p *phantom) addSpine() {
	tall := 3 * p.extent[0]
	for _, side := range []int{40, 60} {
		muscle := tissue{hu: p.r.IntBetween(45, 75), grain: 15}
		p.addBody(body{at: p.placeAt(50, 74, side, 2), axes: rotatedAxes(0, p.drawAngle(2)),
			radius: point{tall, p.drawMillimetres(6, 9), p.drawMillimetres(6, 9)}, rough: 100, tissue: muscle})
	}
	bone := tissue{hu: p.r.IntBetween(220, 500), grain: 120}
	p.addBody(body{at: p.placeAt(50, 72, 50, 1), axes: rotatedAxes(0, p.drawAngle(1)),
		radius: point{tall, p.drawMillimetres(8, 10), p.drawMillimetres(9, 12)}, rough: 60, tissue: bone})
	for _, side := range []int{45, 56} {
		vessel := tissue{hu: p.r.IntBetween(120, 230), grain: 8}
		p.addBody(body{at: p.placeAt(50, 56, side, 2), axes: rotatedAxes(0, p.drawAngle(2)),
			radius: point{tall, p.drawMillimetres(3, 5), p.drawMillimetres(3, 5)}, tissue: vessel})
	}
}

// addKidneys adds both kidneys, with cysts and one or more tumours.
func (p *phantom) addKidneys() {
	bright := p.r.IntBetween(115, 195) // depends on the time since the contrast agent
	first := p.r.IntBelow(2)
	for side := range 2 {
		k := p.addKidney(side, bright)
		for range p.r.IntBelow(3) / 2 {
			// a cyst
			p.addGrowth(k, tissue{hu: p.r.IntBetween(-5, 25), grain: 5, label: Kidney, named: true}, p.drawMillimetres(2, 5))
		}
		tumours := p.r.IntBelow(2)
		if side == first {
			tumours = 1 + p.r.IntBelow(2)
		}
		for range tumours {
			p.addTumour(k, bright)
		}
	}
}

// addKidney adds one kidney: cortex, medulla, and the fat at the entry of the vessels.
func (p *phantom) addKidney(side, bright int) *body {
	at := p.placeAt(52, 66, []int{24, 76}[side], 4)
	inwards := []int{1, -1}[side]
	axes := rotatedAxes(inwards*draw.Turn/4+p.drawAngle(8), p.drawAngle(7))
	k := p.addBody(body{
		at: at, axes: axes, radius: point{p.drawMillimetres(15, 21), p.drawMillimetres(8, 11), p.drawMillimetres(7, 10)},
		bend: 350, rough: 60, tissue: tissue{hu: bright, grain: 8, label: Kidney, named: true},
	})
	p.addBody(body{at: at, axes: axes, radius: point{k.radius[0] * 7 / 10, k.radius[1] * 6 / 10, k.radius[2] * 6 / 10},
		bend: 350, rough: 200, tissue: tissue{hu: bright - p.r.IntBetween(5, 50), grain: 15}})
	p.addBody(body{at: k.toWorld(point{0, 700, 0}), axes: axes, radius: point{k.radius[0] / 3, k.radius[1] / 2,
		k.radius[2] / 3},
		rough: 200, tissue: tissue{hu: p.r.IntBetween(-90, -40), grain: 20}})
	return k
}

// addTumour adds a growth of two or three lobes, often with a dark core.
func (p *phantom) addTumour(k *body, bright int) {
	flesh := tissue{hu: max(bright-p.r.IntBetween(30, 105), 15), grain: p.r.IntBetween(8, 35), label: Tumour, named: true}
	g := p.addGrowth(k, flesh, p.drawMillimetres(4, 9))
	for range p.r.IntBetween(1, 2) {
		lobe := *g
		lobe.at = g.toWorld(point{p.r.IntBetween(-700, 700), p.r.IntBetween(-700, 700), p.r.IntBetween(-700, 700)})
		for i := range lobe.radius {
			lobe.radius[i] = g.radius[i] * p.r.IntBetween(50, 80) / 100
		}
		p.addBody(lobe)
	}
	if p.r.Chance(40) {
		core := tissue{hu: flesh.hu - p.r.IntBetween(15, 50), grain: 15}
		p.addBody(body{
			at: g.at, axes: g.axes, radius: point{g.radius[0] / 2, g.radius[1] / 2, g.radius[2] / 2}, rough: 200, tissue: core,
		})
	}
}

// addGrowth adds a body at the outer surface of a kidney, away from the entry of the vessels.
func (p *phantom) addGrowth(k *body, t tissue, size int) *body {
	out := []int{1, -1}[p.r.IntBelow(2)] * p.r.IntBetween(500, 950)
	at := k.toWorld(point{p.r.IntBetween(-800, 800), -p.r.IntBetween(0, 600), out})
	scaled := func() int { return size * p.r.IntBetween(75, 125) / 100 }
	return p.addBody(body{at: at, axes: rotatedAxes(p.drawAngle(50), p.drawAngle(25)), radius: point{scaled(), scaled(),
		scaled()},
		rough: p.r.IntBetween(50, 250), tissue: t})
}
