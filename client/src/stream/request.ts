/** Requests to the server; what goes wrong is said in its own words, or in ours where it does not answer. */

export async function request(path: string, options?: RequestInit): Promise<Response> {
  let answer: Response;
  try {
    answer = await fetch(path, options);
  } catch (error) {
    if (options?.signal?.aborted) throw error;
    throw new Error("The server does not answer. Is “kinematch play” still running?", { cause: error });
  }
  if (answer.ok) return answer;
  const said = (await answer.json().catch(() => null)) as { message?: string } | null;
  throw new Error(said?.message ?? `the server answered ${answer.status}`);
}
