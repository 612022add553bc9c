"""The HTML reports in a real browser: headless Chromium lays them out, and a script that the test adds
measures what is drawn."""

import html
import json
import pathlib
import re
import shutil
import subprocess

import pytest

STEP = ["step", "--model", "llama3-70b", "--instance", "trn2", "--nodes", "32", "--tp", "32", "--pp", "4",
        "--global-batch", "1024", "--seq-len", "8192"]
PEER = ["step", "--model", "llama2-7b", "--instance", "p5.48xlarge", "--nodes", "8", "--sharding", "fsdp"]
VISION = ["step", "--model", "resnet50", "--instance", "trn1", "--global-batch", "4096"]
PLAN = ["plan", "--model", "llama3-70b", "--tokens", "2T", "--on", "trn2.48xlarge,p5.48xlarge,v5p",
        "--nodes", "8..64", "--deadline", "60d"]

STEP_FIGURES = ["Where the time goes", "Memory of one rank", "Roofline", "Scaling", "Kernels",
                "What the answer rests on"]
PLAN_FIGURES = ["Plans", "Cost against time", "Scaling", "Where the time goes", "Memory", "Sensitivity",
                "Checkpoints and faults", "Prices"]

# For each section: its title, and for its drawing how many shapes it has, whether words or shapes leave
# its frame, and whether it is visible.
MEASURE = """
<script>
window.addEventListener('load', () => {
  const found = [...document.querySelectorAll('section')].map(section => {
    const svg = section.querySelector('svg');
    const result = {title: section.querySelector('h2').textContent, shapes: 0, outside: [], width: 0,
                    rows: section.querySelectorAll('tr').length};
    if (!svg) return result;
    const frame = svg.viewBox.baseVal;
    result.width = svg.getBoundingClientRect().width;
    result.height = svg.getBoundingClientRect().height;
    for (const item of svg.querySelectorAll('rect, circle, path, line, text')) {
      const box = item.getBBox();
      ++result.shapes;
      if (!(box.x >= -2 && box.y >= -2 && box.x + box.width <= frame.width + 2 &&
            box.y + box.height <= frame.height + 2)) {
        result.outside.push(item.tagName + ' ' + item.textContent);
      }
    }
    return result;
  });
  const out = document.createElement('pre');
  out.id = 'measured';
  out.textContent = JSON.stringify({sections: found, wide: document.documentElement.scrollWidth});
  document.body.append(out);
});
</script>
"""


def browser():
    found = shutil.which("chromium") or shutil.which("google-chrome") or shutil.which("chrome")
    if not found:
        pytest.skip("no Chromium here: `apt-get install chromium` to look at the reports")
    return found


def written(trainyard, words, tmp_path) -> pathlib.Path:
    page = tmp_path / "report.html"
    done = subprocess.run([trainyard, *words, "--report", str(page)], capture_output=True, text=True, timeout=60)
    assert done.returncode == 0, done.stderr
    return page


def measured(page: pathlib.Path, tmp_path) -> tuple[dict, str]:
    copy = tmp_path / "measured.html"
    copy.write_text(page.read_text().replace("</body>", MEASURE + "</body>"))
    done = subprocess.run([browser(), "--headless", "--no-sandbox", "--disable-gpu", "--window-size=1000,3000",
                           f"--user-data-dir={tmp_path}/profile", "--enable-logging=stderr", "--dump-dom",
                           copy.as_uri()], capture_output=True, text=True, timeout=120)
    match = re.search(r'<pre id="measured">(.*?)</pre>', done.stdout, re.S)
    assert match, f"the page did not load: {done.stderr[-2000:]}"
    return json.loads(html.unescape(match.group(1))), done.stderr


@pytest.mark.slow
@pytest.mark.parametrize("words,titles", [(STEP, STEP_FIGURES + ["Pipeline"]), (PEER, STEP_FIGURES),
                                          (VISION, STEP_FIGURES), (PLAN, PLAN_FIGURES)],
                         ids=["pipeline", "fsdp", "convolutions", "plan"])
def test_a_browser_draws_every_figure_inside_its_frame(words, titles, trainyard, tmp_path):
    found, log = measured(written(trainyard, words, tmp_path), tmp_path)
    assert "CONSOLE" not in log, [line for line in log.splitlines() if "CONSOLE" in line]
    by_title = {section["title"]: section for section in found["sections"]}
    assert sorted(by_title) == sorted(titles)
    for title, section in by_title.items():
        assert section["shapes"] >= 8 or section["rows"] >= 3, f"'{title}' is empty"
        assert section["outside"] == [], f"'{title}' draws beyond its frame"
        if section["shapes"]:
            assert section["width"] > 300 and section["height"] > 60, f"'{title}' is not visible"
    assert found["wide"] <= 1000, "the page needs a horizontal scroll bar"


@pytest.mark.slow
def test_the_picture_of_a_report_is_not_blank(trainyard, tmp_path):
    picture = tmp_path / "report.png"
    page = written(trainyard, STEP, tmp_path)
    subprocess.run([browser(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars",
                    f"--user-data-dir={tmp_path}/profile", "--window-size=1000,3600", f"--screenshot={picture}",
                    page.as_uri()], capture_output=True, timeout=120, check=True)
    # A blank page of this size compresses to less than 20 kB.
    assert picture.stat().st_size > 100_000


@pytest.mark.parametrize("words", [STEP, PLAN], ids=["step", "plan"])
def test_a_report_is_one_file_that_loads_nothing(words, trainyard, tmp_path):
    text = written(trainyard, words, tmp_path).read_text()
    assert "<script" not in text
    assert not re.search(r'(src|href)\s*=|@import|url\(', text)
    assert not re.search(r'="[^"]*\b(nan|inf)\b', text), "a coordinate is no number"
    # The same input gives the same bytes.
    assert text == written(trainyard, words, tmp_path).read_text()
