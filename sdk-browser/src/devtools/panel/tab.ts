/** One tab of the panel. */
export interface Tab {
  readonly name: string;
  readonly root: HTMLElement;
  /** Shows the client's current state. */
  update(): void;
}
