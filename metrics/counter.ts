/** Counts by one label with few values. */
export class Counter<Value extends string = string> {
  readonly counts = new Map<Value, number>()

  /** `zeros` are there from the beginning, so that the first one is an increase. */
  constructor(zeros: Value[] = []) {
    for (const value of zeros) this.counts.set(value, 0)
  }

  add(value: Value, more = 1): void {
    this.counts.set(value, (this.counts.get(value) ?? 0) + more)
  }
}
