# The program of csv-column.json: a made-up learning curve, progress.csv, and a summary of ten episodes, summary.json.
BEGIN {
  srand(seed)
  print "update,return" > "progress.csv"
  for (i = 1; i <= updates; ++i) printf "%d,%.6f\n", i, 1 - exp(-rate * i) + (rand() - 0.5) / 20 > "progress.csv"
  printf "{\"episodes\": [" > "summary.json"
  for (i = 1; i <= 10; ++i) printf "%s%.6f", (i > 1 ? ", " : ""), 1 - exp(-rate * updates) + (rand() - 0.5) / 20 > "summary.json"
  printf "], \"wins\": %.1f}\n", 1 - exp(-rate * updates) > "summary.json"
}
