import './middle-cut.css'

/**
 * The end of a text that is never cut has at most `endLength` letters. It starts at a word if one leaves more than
 * `leastLength`.
 */
const endLength = 12
const leastLength = 5

interface Props {
  text: string
  /** How many letters fit on two lines. Without it, the text has one line, and CSS cuts it. */
  fitting?: number | undefined
}

/**
 * A text that is cut in its middle if it is too long, because names often differ at their end. CSS draws the parts and
 * screen readers skip them, because they would read a space in between.
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

/** Returns the index at which the uncut end starts. */
function findEnd(letters: string[]): number {
  const word = letters.slice(-endLength, -leastLength).indexOf(' ')
  return findBreak(letters, letters.length - endLength + Math.max(2, word))
}

/** Returns the next index at or before `at` that does not split a letter from its accent, or an emoji. */
function findBreak(letters: string[], at: number): number {
  const isTorn = (at: number) =>
    /^[\p{M}\p{Emoji_Modifier}\u200d]/u.test(letters[at] ?? '') || letters[at - 1] === '\u200d'
  let place = Math.max(0, at)
  while (place > 0 && isTorn(place)) place--
  return place
}
