// Returns what is wrong with the shown page, as texts.
document.querySelectorAll('details').forEach(one => { one.open = true; });
const faults = [], top_ = document.documentElement;
const say = (what, element) => faults.push(
  `${what}: <${element.tagName} class="${element.getAttribute('class') || ''}"> ${element.textContent.slice(0, 60)}`);
const visible = element => element.checkVisibility() && !element.closest('thead')?.matches('.middle > *, .wide > *, .records > *');

if (top_.scrollWidth > top_.clientWidth) faults.push(`the page is ${top_.scrollWidth} pixels wide`);

for (const card of document.querySelectorAll('section, header')) {
  const box = card.getBoundingClientRect();
  for (const element of card.querySelectorAll('*')) {
    const own = element.getBoundingClientRect();
    if (own.width && visible(element) && (own.right > box.right + 0.5 || own.left < box.left - 0.5))
      say('outside of its card', element);
  }
}

for (const element of document.querySelectorAll('body *')) {
  const style = getComputedStyle(element);
  if (!visible(element) || element.closest('svg')) continue;
  if (style.overflow !== 'visible') say('text may be cut', element);
  if (style.display !== 'inline' && element.scrollWidth > element.clientWidth + 1) say('text overflows', element);
}

// A name is on one line, and one longer than a line begins on its own.
const lines = element => {
  const range = document.createRange();
  range.selectNodeContents(element);
  return new Set([...range.getClientRects()].map(box => Math.round(box.top))).size;
};
for (const name of document.querySelectorAll('span, td.number')) {
  const room = name.closest('td, li, p, div, section').getBoundingClientRect().width;
  const line = parseFloat(getComputedStyle(name).fontSize) * 0.5 * name.textContent.length;
  if (visible(name) && lines(name) > 1 && (name.className !== 'long' || line < 0.6 * room)) say('broken', name);
}
for (const cell of document.querySelectorAll('td')) {
  const box = cell.getBoundingClientRect();
  if (box.height > 60 && box.height > 2 * box.width) say('a narrow column of text', cell);
}

// Labels of charts lie within them, and not on each other.
for (const chart of document.querySelectorAll('svg')) {
  const box = chart.getBoundingClientRect(), texts = [...chart.querySelectorAll('text')];
  if (box.height < 20) say('not drawn', chart);
  const boxes = texts.map(text => text.getBoundingClientRect());
  boxes.forEach((own, i) => {
    if (own.left < box.left - 1 || own.right > box.right + 1 || own.bottom > box.bottom + 1) say('outside of its chart', texts[i]);
    if (boxes.some((other, j) => j < i && own.left < other.right && other.left < own.right
        && own.top + 2 < other.bottom && other.top + 2 < own.bottom)) say('upon another label', texts[i]);
  });
}

// Texts have the contrast that WCAG 2 asks for.
const light = colour => {
  const [r, g, b] = colour.match(/[\d.]+/g).slice(0, 3).map(Number)
    .map(part => part / 255).map(part => part <= 0.03928 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4);
  return 0.2126 * r + 0.7152 * g + 0.0722 * b;
};
const behind = element => {
  const colour = getComputedStyle(element).backgroundColor;
  return colour === 'rgba(0, 0, 0, 0)' && element.parentElement ? behind(element.parentElement) : colour;
};
for (const element of document.querySelectorAll('h1, h2, p, a, th, td, li, small, summary, text')) {
  const colour = element.tagName === 'text' ? getComputedStyle(element).fill : getComputedStyle(element).color;
  const [dark, bright] = [light(colour), light(behind(element))].sort((one, other) => one - other);
  if ((bright + 0.05) / (dark + 0.05) < 4.5) say('hard to read', element);
}
return faults;
