import { type Wanted, writeWanted } from '../gallery/wanted.ts'
import { hrefOf } from '../place.ts'
import { listChosen } from './chosen.ts'

/** The active filters; a click removes one. */
export function Chips({ wanted }: { wanted: Wanted }) {
  return listChosen(wanted).map(({ label, without }) => (
    <a key={label} class="pill" href={hrefOf([], writeWanted(without))}>
      {label}
      <span aria-hidden="true">✕</span>
      <span class="hidden-visually">, take off</span>
    </a>
  ))
}
