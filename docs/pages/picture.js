// Returns the shown page as the elements of an SVG: its cards, tables, charts and lines of text, in the colours of its sheet.
const names = [...document.styleSheets].flatMap(sheet => [...sheet.cssRules])
  .filter(rule => rule.selectorText === ':root').flatMap(rule => [...rule.style]).filter(name => name.startsWith('--'));
const probe = document.body.appendChild(document.createElement('i'));
const named = Object.fromEntries(names.map(name => {
  probe.style.color = `var(${name})`;
  return [getComputedStyle(probe).color, `var(${name})`];
}));
probe.remove();

const out = [], escaped = text => new Option(text).innerHTML;
const draw = (name, values, text = '') => out.push(
  `<${name} ${Object.entries(values).map(([key, value]) => `${key}="${value}"`).join(' ')}>${escaped(text)}</${name}>`);
const place = number => Math.round(number * 10) / 10;
const box = element => {
  const {x, y, width, height} = element.getBoundingClientRect();
  return {x: place(x), y: place(y), width: place(width), height: place(height)};
};
const pen = document.createElement('canvas').getContext('2d');

const line = (text, rect, style, fill) => {
  pen.font = style.font;
  draw('text', {x: place(rect.x), y: place(rect.y + pen.measureText(text).fontBoundingBoxAscent), textLength: place(rect.width),
    lengthAdjust: 'spacingAndGlyphs', 'font-size': style.fontSize, 'font-weight': style.fontWeight, fill: named[fill]}, text);
};

// One text for each line on which a text stands.
const lines = node => {
  const style = getComputedStyle(node.parentElement), range = document.createRange();
  let shown = '', rect = null;
  for (const {index, 0: word} of node.data.matchAll(/\S+/g)) {
    range.setStart(node, index);
    range.setEnd(node, index + word.length);
    const own = range.getBoundingClientRect();
    if (rect && own.y > rect.y + 2) {
      line(shown, rect, style, style.color);
      rect = null;
    }
    shown = rect ? `${shown} ${word}` : word;
    rect = rect ? new DOMRect(rect.x, rect.y, own.right - rect.x, rect.height) : own;
  }
  if (rect) line(shown, rect, style, style.color);
};

const drawn = {
  rect: (element, style) => draw('rect', {...box(element), fill: named[style.fill]}),
  line: (element, style) => draw('rect', {...box(element), height: 1, fill: named[style.stroke]}),
  text: (element, style) => line(element.textContent, element.getBoundingClientRect(), style, style.fill),
};
const walk = element => {
  if (!element.checkVisibility()) return;
  const style = getComputedStyle(element), own = box(element);
  if (element.closest('svg')) drawn[element.tagName]?.(element, style);
  else {
    const edge = parseFloat(style.borderTopWidth) ? named[style.borderTopColor] : 'none';
    if (named[style.backgroundColor]) draw('rect', {...own, rx: parseFloat(style.borderTopLeftRadius), fill: named[style.backgroundColor], stroke: edge});
    else if (parseFloat(style.borderBottomWidth)) draw('rect', {...own, y: place(own.y + own.height), height: 1, fill: named[style.borderBottomColor]});
  }
  for (const node of element.childNodes) {
    if (node.nodeType === Node.ELEMENT_NODE) walk(node);
    else if (node.nodeType === Node.TEXT_NODE && !element.closest('svg')) lines(node);
  }
};
walk(document.body);
return out;
