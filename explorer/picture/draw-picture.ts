/** The background and three shape colours. */
type Palette = [ground: string, ...shapes: string[]]

const palettes: Palette[] = [
  ['#2b2d42', '#e0a07a', '#8e6aa0', '#f3e9dc'],
  ['#17324f', '#f3c24f', '#2b6190', '#f4f1de'],
  ['#22403a', '#c8a94e', '#2f5d50', '#efe6d0'],
  ['#264653', '#2a9d8f', '#e9c46a', '#f4a261'],
  ['#432818', '#99582a', '#e6b8a0', '#fff3e4'],
  ['#3b2d3a', '#b9563c', '#f0a868', '#f7ece1'],
  ['#1f2a30', '#7fa8a3', '#d9a441', '#eef0e6'],
  ['#33272a', '#c66b6b', '#e8c07d', '#f6ede3']
]

/** The number of cells in a row, and the size of a cell. */
const cellsPerRow = 4
const cellSize = 12

/** Returns the path data of a shape in the cell whose upper left corner is at x and y. */
type Shape = (x: number, y: number) => string

const circle =
  (radius: number): Shape =>
  (x, y) =>
    `M${x + cellSize / 2 - radius} ${y + cellSize / 2}a${radius} ${radius} 0 1 0 ${2 * radius} 0a${radius} ${radius} 0 1 0 ${-2 * radius} 0z`

const half = cellSize / 2
const shapes: Shape[] = [
  () => '',
  circle(half),
  circle(2.4),
  (x, y) => `M${x} ${y}h${cellSize}v${cellSize}h${-cellSize}z`,
  (x, y) => `M${x} ${y}h${cellSize}l${-cellSize} ${cellSize}z`,
  (x, y) => `M${x + cellSize} ${y}v${cellSize}h${-cellSize}z`,
  (x, y) => `M${x} ${y + cellSize}a${cellSize} ${cellSize} 0 0 1 ${cellSize} ${-cellSize}v${cellSize}z`,
  (x, y) => `M${x} ${y}h${cellSize}v${cellSize}a${cellSize} ${cellSize} 0 0 1 ${-cellSize} ${-cellSize}z`,
  (x, y) => `M${x} ${y + half}a${half} ${half} 0 0 1 ${cellSize} 0z`,
  (x, y) => `M${x} ${y + half}a${half} ${half} 0 0 0 ${cellSize} 0z`,
  (x, y) => `M${x + half} ${y}a${half} ${half} 0 0 1 0 ${cellSize}z`,
  (x, y) => `M${x + half} ${y}a${half} ${half} 0 0 0 0 ${cellSize}z`
]

interface Drawing {
  background: string
  /** One path per colour. */
  paths: { colour: string; data: string }[]
}

export const drawingSize = cellsPerRow * cellSize

/** Draws a picture from a text. The same text always gives the same picture. */
export function drawPicture(text: string): Drawing {
  const random = createRandom(text)
  const pick = (number: number) => Math.floor(random() * number)
  const [background, ...colours] = palettes[pick(palettes.length)] as Palette
  const paths = colours.map(colour => ({ colour, data: '' }))
  for (let cell = 0; cell < cellsPerRow * cellsPerRow; cell++) {
    const shape = shapes[pick(shapes.length)] as Shape
    const path = paths[pick(paths.length)]
    if (path) path.data += shape((cell % cellsPerRow) * cellSize, Math.floor(cell / cellsPerRow) * cellSize)
  }
  return { background, paths }
}

/** Generates pseudorandom numbers between 0 and 1 from a text, with FNV-1a and mulberry32. */
function createRandom(text: string): () => number {
  let state = 0x811c9dc5
  for (let at = 0; at < text.length; at++) state = Math.imul(state ^ text.charCodeAt(at), 0x01000193)
  return () => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296
  }
}
