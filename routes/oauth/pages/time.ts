import { type Html, html } from './layout.ts'

/** Formats a stored time for people, to the minute. Pages have no script that would know their time zone. */
export const formatTime = (time: string): Html =>
  html`<time datetime="${time}">${time.slice(0, 16).replace('T', ' ')} UTC</time>`
