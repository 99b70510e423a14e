import './middle-cut.css'

/** Letters at the end of a text that are never cut, at most. Preferably, they begin with a word. */
const endLength = 12
const leastLength = 5

interface Props {
  text: string
  /** How many letters fit on two lines; undefined: the text has one line, and CSS finds out what fits. */
  fitting?: number | undefined
}

/**
 * A text that is cut in its middle if it is too long, because names often differ at their end. The parts are drawn by CSS
 * and hidden from screen readers, which would read a space between them.
 */
export function MiddleCut({ text, fitting }: Props) {
  const letters = Array.from(text)
  const isCut = fitting !== undefined && letters.length > fitting
  const endAt = findEnd(letters)
  const end = letters.slice(endAt)
  const begin = letters.slice(0, isCut ? findBreak(letters, fitting - end.length - 1) : endAt)
  return (
    <span class={fitting === undefined ? 'middle-cut' : 'middle-cut two-lines'}>
      <span class="hidden-visually">{text}</span>
      <span class="begin" aria-hidden="true" data-text={`${begin.join('')}${isCut ? '…' : ''}`} />
      <span class="end" aria-hidden="true" data-text={end.join('')} />
    </span>
  )
}

/** The place of the end that is never cut. */
function findEnd(letters: string[]): number {
  const word = letters.slice(-endLength, -leastLength).indexOf(' ')
  return findBreak(letters, letters.length - endLength + Math.max(2, word))
}

/** The next place before a letter at which nothing is torn apart, such as a letter and its accent. */
function findBreak(letters: string[], at: number): number {
  const isTorn = (at: number) =>
    /^[\p{M}\p{Emoji_Modifier}\u200d]/u.test(letters[at] ?? '') || letters[at - 1] === '\u200d'
  let place = Math.max(0, at)
  while (place > 0 && isTorn(place)) place--
  return place
}
