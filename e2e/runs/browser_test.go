package runs

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/plumbline-ml/plumbline/e2e/internal/harness"
	"github.com/plumbline-ml/plumbline/internal/testkit/browser"
	"github.com/plumbline-ml/plumbline/internal/testkit/testfile"
)

// pages are the runs whose reports are checked: a model of each benchmark.
var pages = []string{"resnet50", "retinanet", "yolo-99", "pointpainting", "3d-unet", "3d-unet-brats", "dlrm-v2",
	"bert-99", "rnnt", "whisper", "llama3.1-8b", "rgat", "gnmt", "stable-diffusion-xl", "deepseek-r1", "gpt-oss-120b",
	"qwen3-vl-235b-a22b", "dlrm-v3"}

// openBrowser starts the browser of PLUMBLINE_BROWSER, or skips the test.
func openBrowser(t *testing.T) *browser.Browser {
	t.Helper()
	path := os.Getenv("PLUMBLINE_BROWSER")
	if path == "" {
		t.Skip("PLUMBLINE_BROWSER names no Chromium: make test-extra OF=browser (Debian's package chromium)")
	}
	b, err := browser.Start(path, t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(b.Close)
	return b
}

// TestBrowser makes a report of each benchmark's runs, opens it, and saves a screenshot to the folder of
// PLUMBLINE_SCREENSHOTS.
func TestBrowser(t *testing.T) {
	b := openBrowser(t)
	for _, model := range pages {
		t.Run(model, func(t *testing.T) {
			out := filepath.Join(t.TempDir(), "out")
			for _, mode := range []string{"performance", "accuracy"} {
				r := harness.Run(t, "run", model, "--scenario", "Offline", "--mode", mode, "--quiet", "--out", out)
				if r.Code != 0 && r.Code != 3 {
					t.Fatal(r.Both())
				}
			}
			if model == "resnet50" || model == "llama3.1-8b" { // and one with latencies over time
				harness.Run(t, "run", model, "--scenario", "Server", "--mode", "performance", "--quiet", "--out", out)
			}
			page := filepath.Join(out, "report.html")
			harness.Run(t, "report", out, "--html", page).WantCode(t, 0)
			look(t, b, page, model)
			checkNumbers(t, b, filepath.Join(out, "result.json"))
			checkPaper(t, b, page, 2*countRuns(t, out)+1)
		})
	}
}

// look opens a page on a large screen, light and dark, and on a phone.
func look(t *testing.T, b *browser.Browser, page, name string) {
	t.Helper()
	for _, screen := range []struct {
		name          string
		width, height int
		scheme        string
	}{{"light", 1200, 900, "light"}, {"dark", 1200, 900, "dark"}, {"phone", 390, 800, "light"}} {
		requests, err := b.Open("file://"+page, screen.width, screen.height, screen.scheme)
		if err != nil {
			t.Fatal(err)
		}
		for _, url := range requests {
			if url != "file://"+page && !strings.HasPrefix(url, "data:image/png") {
				t.Errorf("the page asks for %.80s", url)
			}
		}
		checkPage(t, b, screen.name, screen.width)
		if dir := os.Getenv("PLUMBLINE_SCREENSHOTS"); dir != "" {
			picture, err := b.Screenshot(screen.width, 12000)
			if err != nil {
				t.Fatal(err)
			}
			testfile.Write(t, filepath.Join(dir, name+"-"+screen.name+".png"), string(picture))
		}
	}
	checkKeyboard(t, b)
}

// facts are measured by the page itself.
const facts = `(() => {
  const channel = v => (v /= 255) <= .03928 ? v / 12.92 : ((v + .055) / 1.055) ** 2.4;
  const light = c => .2126 * channel(c[0]) + .7152 * channel(c[1]) + .0722 * channel(c[2]);
  const parse = s => (s.match(/[\d.]+/g) || []).map(Number);
  const back = e => {
    for (; e; e = e.parentElement) {
      const c = parse(getComputedStyle(e).backgroundColor);
      if (c.length == 3 || c[3] > 0) return c;
    }
    return [255, 255, 255]; };
  const faint = [];
  for (const e of document.querySelectorAll("body *")) {
    if (e.tagName == "title" || ![...e.childNodes].some(n => n.nodeType == 3 && n.data.trim())) continue;
    const style = getComputedStyle(e);
    const ink = parse(e instanceof SVGElement ? style.fill : style.color), paper = back(e);
    const a = light(ink), b = light(paper), ratio = (Math.max(a, b) + .05) / (Math.min(a, b) + .05);
    if (ratio < 4.5)
      faint.push([e.tagName, e.getAttribute("class"), ratio.toFixed(2), e.textContent.slice(0, 40)].join());
  }
  const plots = [...document.querySelectorAll("svg.plot")], collided = [], cut = [];
  for (const p of plots) {
    const frame = p.getBoundingClientRect(), texts = [...p.querySelectorAll("text")];
    const boxes = texts.map(e => e.getBoundingClientRect());
    boxes.forEach((a, i) => {
      const name = p.getAttribute("aria-label").slice(0, 30) + ": " + texts[i].textContent;
      if (a.left < frame.left - 1 || a.right > frame.right + 1 || a.top < frame.top - 1 || a.bottom > frame.bottom + 1)
        cut.push(name);
      boxes.slice(0, i).forEach((b, k) => {
        const lines = .7; // boxes are as high as a line, which is more than its letters
        if (a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - (1 - lines) * b.height &&
            b.top < a.bottom - (1 - lines) * a.height)
          collided.push(name + " and " + texts[k].textContent);
      });
    });
  }
  const across = document.documentElement.clientWidth;
  const blocks = "td, th, dt, dd, figcaption, h1, h2, h3, p, li, pre, summary, .badge, .wide";
  for (const e of document.querySelectorAll(blocks)) {
    const head = e.closest("thead"); // on phones it is for those who listen
    if (!e.checkVisibility() || head && getComputedStyle(head).position == "absolute") continue;
    const at = e.getBoundingClientRect();
    if (e.scrollWidth > e.clientWidth + 1 && e.clientWidth > 0 || at.right > across + 1 || at.left < -1)
      cut.push([e.tagName, e.className, e.scrollWidth, e.clientWidth, e.textContent.trim().slice(0, 40)].join());
  }
  return {
    faint: faint.slice(0, 5), collided: collided.slice(0, 5), cut: cut.slice(0, 5), plots: plots.length,
    empty: plots.filter(p => p.getBoundingClientRect().height < 60 || !p.querySelector("path.p1")).length,
    silent: [...document.querySelectorAll("svg, img")].filter(e => !(e.getAttribute("aria-label") || e.alt)).length,
    broken: [...document.images].filter(i => !i.naturalWidth).length,
    unstyled: getComputedStyle(document.querySelector("main")).maxWidth == "none",
    wide: document.documentElement.scrollWidth,
  };
})()`

func checkPage(t *testing.T, b *browser.Browser, screen string, width int) {
	t.Helper()
	var page struct {
		Faint, Collided, Cut               []string
		Plots, Empty, Silent, Broken, Wide int
		Unstyled                           bool
	}
	if err := b.Eval(facts, &page); err != nil {
		t.Fatal(err)
	}
	if page.Plots < 3 || page.Empty > 0 || page.Silent > 0 || page.Broken > 0 || page.Unstyled || len(page.Faint) > 0 ||
		len(page.Collided) > 0 || len(page.Cut) > 0 ||
		page.Wide > width {
		t.Errorf("%s: %+v", screen, page)
	}
}

// checkKeyboard moves through the page with Tab: the first stop leads to the runs, and Enter opens a table of settings.
func checkKeyboard(t *testing.T, b *browser.Browser) {
	t.Helper()
	var first string
	for i := range 200 {
		if err := b.Press("Tab", 9); err != nil {
			t.Fatal(err)
		}
		var at string
		if err := b.Eval("document.activeElement.tagName + ' ' + document.activeElement.textContent", &at); err != nil {
			t.Fatal(err)
		}
		if i == 0 {
			first = at
		}
		if strings.HasPrefix(at, "SUMMARY") {
			break
		}
	}
	if err := b.Press("Enter", 13); err != nil {
		t.Fatal(err)
	}
	var open int
	if err := b.Eval("document.querySelectorAll('details[open]').length", &open); err != nil {
		t.Fatal(err)
	}
	if open != 1 || first != "A To the runs" {
		t.Errorf("%d tables are open, the first stop is %q", open, first)
	}
}
