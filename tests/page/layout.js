// What is wrong with how a page is laid out, one sentence each. Runs beside iframes that hold pages.

const ofLuminance = (c) => (c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4);

/// [r, g, b, a] of a computed colour.
function colour(text) {
  const numbers = text.match(/[\d.]+/g).map(Number);
  return [...numbers.slice(0, 3), numbers[3] ?? 1];
}

function luminance([r, g, b]) {
  const [x, y, z] = [r, g, b].map((c) => ofLuminance(c / 255));
  return 0.2126 * x + 0.7152 * y + 0.0722 * z;
}

/// By WCAG 2.
function contrast(one, other) {
  const [low, high] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (high + 0.05) / (low + 0.05);
}

const grounds = new WeakMap();

function ground(element, style) {
  if (!element) return [255, 255, 255, 1];
  if (!grounds.has(element)) {
    const own = colour(style(element).backgroundColor);
    grounds.set(element, own[3] > 0 ? own : ground(element.parentElement, style));
  }
  return grounds.get(element);
}

const name = (element) => {
  const words = element.textContent.trim().replace(/\s+/g, " ").slice(0, 40);
  const kind = element.getAttribute("class");
  return `<${element.tagName.toLowerCase()}${kind ? ` class="${kind}"` : ""}> '${words}'`;
};

const meet = (a, b, by) =>
  a.left + by < b.right && b.left + by < a.right && a.top + by < b.bottom && b.top + by < a.bottom;

/// `scrolls`: whether what is too wide may be scrolled to.
function problems(page, scrolls) {
  const style = (element) => page.defaultView.getComputedStyle(element);
  const found = [];
  const root = page.documentElement;
  if (root.scrollWidth > root.clientWidth) {
    found.push(`the page is ${root.scrollWidth} wide, the window ${root.clientWidth}`);
  }
  const scroller = (element) => {
    for (let at = element.parentElement; at; at = at.parentElement) {
      if (/auto|scroll/.test(style(at).overflowX) && at !== page.body) return at;
    }
    return null;
  };
  const shown = [...page.body.querySelectorAll("*")].filter(
    (element) => element.getClientRects().length > 0 && !element.closest("svg svg"));

  for (const element of shown) {
    const box = element.getBoundingClientRect();
    if ((box.right > root.clientWidth + 1 || box.left < -1) && !scroller(element)) {
      found.push(`outside of the window, ${Math.round(box.right)}: ${name(element)}`);
    }
    const wide = element.scrollWidth > element.clientWidth + 1;
    if (wide && !scrolls && element.matches(".wide, figure")) {
      found.push(`has to be scrolled: ${name(element)}`);
    }
  }

  for (const cell of shown.filter((element) => element.matches("td, th"))) {
    if (/\s/.test(cell.textContent.trim()) || cell.querySelector("svg")) continue;
    const range = page.createRange();
    range.selectNodeContents(cell);
    const lines = new Set([...range.getClientRects()].map((line) => Math.round(line.top)));
    if (lines.size > 1) found.push(`broken across lines: ${name(cell)}`);
  }

  for (const picture of shown.filter((element) => element.matches("svg"))) {
    const frame = picture.getBoundingClientRect();
    const texts = [...picture.querySelectorAll("text")];
    const boxes = texts.map((text) => text.getBoundingClientRect());
    const levels = [...picture.querySelectorAll("line.level")];
    const scale = frame.width / picture.viewBox.baseVal.width;
    texts.forEach((text, i) => {
      const size = parseFloat(style(text).fontSize) * scale;
      if (size < 8) found.push(`letters of ${size.toFixed(1)} pixels: ${name(text)}`);
      const { left, right, top, bottom } = boxes[i];
      if (left < frame.left - 1 || right > frame.right + 1 || top < frame.top - 1 ||
          bottom > frame.bottom + 1) {
        found.push(`outside of its picture: ${name(text)}`);
      }
      for (let j = 0; j < i; ++j) {
        if (meet(boxes[i], boxes[j], 2)) found.push(`${name(text)} covers ${name(texts[j])}`);
      }
      for (const level of levels) {
        const line = level.getBoundingClientRect();
        const drawn = { left: line.left, right: line.right, top: line.top - 1, bottom: line.top + 1 };
        if (meet(boxes[i], drawn, 0.5)) found.push(`${name(text)} lies on a level`);
      }
    });
    for (const line of picture.querySelectorAll("line.level, path.curve")) {
      const ratio = contrast(colour(style(line).stroke), ground(picture, style));
      if (ratio < 3) found.push(`contrast ${ratio.toFixed(1)} of ${name(line)}`);
    }
  }

  for (const element of shown.filter((one) => one.matches("td, th, p, dt, dd, li, h1, h2, text"))) {
    const drawn = element.matches("text") ? style(element).fill : style(element).color;
    const ratio = contrast(colour(drawn), ground(element, style));
    if (ratio < 4.5) found.push(`contrast ${ratio.toFixed(1)} of ${name(element)}`);
  }
  return found;
}

addEventListener("load", () => {
  const all = {};
  for (const frame of document.querySelectorAll("iframe")) {
    all[frame.title] = problems(frame.contentDocument, frame.dataset.scrolls === "yes");
  }
  document.body.textContent = JSON.stringify(all);
});
